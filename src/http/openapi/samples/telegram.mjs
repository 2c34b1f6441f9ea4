import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

const BOT = 'https://api.telegram.org/botTOKEN';
const CHAT = '@channel';

async function announce({ title, episode, link }) {
  const answer = await fetch(`${BOT}/sendMessage`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ chat_id: CHAT, text: `${title} episode ${episode}\n${link ?? ''}` }),
  });
  const { ok, description } = await answer.json();
  if (!ok) throw new Error(`Telegram: ${description}`);
}

const EVENTS = '{listing}/api/anime/events';
// The position after the last event. The first time it is now; after a restart it is where the program ended.
const FILE = 'last-event.json';
let last = await readFile(FILE, 'utf8').then(JSON.parse, () => ({ since: 'now' }));

while (true) {
  try {
    const answer = await fetch(`${EVENTS}?${new URLSearchParams(last)}`);
    const { status, message, data } = await answer.json();
    if (!status) throw new Error(message);
    const { epoch, events, complete } = data;
    for (const event of complete ? events : []) {
      if (event.type === 'new-episode') await announce(event);
      await keep({ since: event.number, epoch });
    }
    await keep({ since: data.last, epoch });
  } catch (error) {
    console.error(error);
  }
  await setTimeout(60_000);
}

async function keep(position) {
  last = position;
  await writeFile(`${FILE}.new`, JSON.stringify(position));
  await rename(`${FILE}.new`, FILE);
}
