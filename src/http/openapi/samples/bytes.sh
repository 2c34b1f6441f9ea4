echo halo > halo.txt
bytes=$(curl -s -F file=@halo.txt '{uploads}/upload' | grep -o '"url_file":"[^"]*' | cut -d '"' -f 4)
