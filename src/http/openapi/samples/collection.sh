echo halo > halo.txt
file=$(curl -s -T halo.txt '{uploads}')
collection=$(curl -s '{uploads}/c' -H 'Content-Type: application/json' -d "{\"files\":[\"$file\"]}" |
  grep -o '"url":"[^"]*' | head -1 | cut -d '"' -f 4)
