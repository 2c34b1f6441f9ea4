echo halo > halo.txt
page=$(curl -s -F file=@halo.txt '{uploads}/upload' | grep -o '"url":"[^"]*' | cut -d '"' -f 4)
