F=halo.txt V='Tus-Resumable: 1.0.0'
echo halo > $F
at=$(curl -s -D - -o answer.json -X POST '{uploads}/files' -H "$V" -H "Upload-Length: $(wc -c < $F | tr -d ' ')" \
  -H "Upload-Metadata: filename $(printf %s $F | base64)" | tr -d '\r' | sed -n 's/^[Ll]ocation: //p')
# Repeat these two lines until they succeed: each time they go on where the connection broke.
n=$(curl -s -I -H "$V" "$at" | tr -d '\r' | sed -n 's/^[Uu]pload-[Oo]ffset: //p')
tail -c +$((n + 1)) $F | curl -s -X PATCH -T - -H "$V" -H "Upload-Offset: $n" \
  -H 'Content-Type: application/offset+octet-stream' "$at"
curl "$at"
