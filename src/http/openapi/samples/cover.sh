cover=$(curl -s '{listing}/api/anime/home' | grep -o '"image":"[^"]*' | head -1 | cut -d '"' -f 4)
