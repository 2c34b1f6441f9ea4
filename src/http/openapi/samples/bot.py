import asyncio, json, os
from urllib.parse import urlencode
from urllib.request import urlopen

import discord

TOKEN = 'TOKEN'
CHANNEL = 1234567890
EVENTS = '{listing}/api/anime/events'
# The position after the last event. The first time it is now; after a restart it is where the program ended.
FILE = 'last-event.json'


async def announce(channel, event):
    title = discord.utils.escape_markdown(f"{event['title']} – episode {event['episode']}")
    embed = discord.Embed(title=title, url=event['page'])
    embed.set_thumbnail(url=event['image'])
    await channel.send(embed=embed)


def read(last):
    with urlopen(EVENTS + '?' + urlencode(last)) as answer:
        return json.load(answer)['data']


def keep(position):
    with open(FILE + '.new', 'w') as file:
        json.dump(position, file)
    os.replace(FILE + '.new', FILE)


async def poll(channel):
    last = json.load(open(FILE)) if os.path.exists(FILE) else {'since': 'now'}
    data = await asyncio.to_thread(read, last)
    for event in data['events'] if data['complete'] else []:
        if event['type'] == 'new-episode':
            await announce(channel, event)
        keep({'since': event['number'], 'epoch': data['epoch']})
    keep({'since': data['last'], 'epoch': data['epoch']})


async def main():
    async with discord.Client(intents=discord.Intents.none()) as client:
        await client.login(TOKEN)
        channel = await client.fetch_channel(CHANNEL)
        while True:
            try:
                await poll(channel)
            except Exception as error:
                print(error)
            await asyncio.sleep(60)


asyncio.run(main())
