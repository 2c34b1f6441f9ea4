echo halo > halo.txt
secret=$(curl -s -D - -o answer.json -F file=@halo.txt '{uploads}/upload' |
  tr -d '\r' | sed -n 's/^[Xx]-[Dd]elete-[Uu]rl: //p')
