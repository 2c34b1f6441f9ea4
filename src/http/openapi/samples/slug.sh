slug=$(curl -s '{listing}/api/anime/home' | grep -o '"slug":"[^"]*' | head -1 | cut -d '"' -f 4)
