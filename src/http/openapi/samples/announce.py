import json, os, time
from urllib.parse import urlencode
from urllib.request import Request, urlopen

EVENTS = '{listing}/api/anime/events'
WEBHOOK = 'https://discord.com/api/webhooks/ID/TOKEN'
# The position after the last event. The first time it is now; after a restart it is where the program ended.
FILE = 'last-event.json'


def announce(event):
    embed = {'title': f"{event['title']} – episode {event['episode']}", 'url': event['page']}
    if event['image']:
        embed['thumbnail'] = {'url': event['image']}
    headers = {'Content-Type': 'application/json', 'User-Agent': 'announce.py'}
    urlopen(Request(WEBHOOK, json.dumps({'embeds': [embed]}).encode(), headers)).close()


def keep(position):
    with open(FILE + '.new', 'w') as file:
        json.dump(position, file)
    os.replace(FILE + '.new', FILE)


while True:
    try:
        last = json.load(open(FILE)) if os.path.exists(FILE) else {'since': 'now'}
        data = json.load(urlopen(EVENTS + '?' + urlencode(last)))['data']
        for event in data['events'] if data['complete'] else []:
            if event['type'] == 'new-episode':
                announce(event)
            keep({'since': event['number'], 'epoch': data['epoch']})
        keep({'since': data['last'], 'epoch': data['epoch']})
    except Exception as error:
        print(error)
    time.sleep(60)
