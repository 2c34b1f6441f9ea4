upload=$(curl -s -D - -o answer.json -X POST '{uploads}/files' -H 'Tus-Resumable: 1.0.0' \
  -H 'Upload-Length: 5' -H 'Upload-Metadata: filename aGFsby50eHQ=' |
  tr -d '\r' | sed -n 's/^[Ll]ocation: //p')
