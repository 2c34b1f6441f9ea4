import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

const BOT = 'https://api.telegram.org/botTOKEN';
const CHAT = '@channel';

async function announce({ title, episode, page, image }) {
  const text = `${title} – episode ${episode}\n${page}`;
  const photo = image && (await call('sendPhoto', { photo: image, caption: text }));
  // Telegram cannot load every picture.
  const { ok, description } = photo?.ok ? photo : await call('sendMessage', { text });
  if (!ok) throw new Error(`Telegram: ${description}`);
}

async function call(method, message) {
  const answer = await fetch(`${BOT}/${method}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ chat_id: CHAT, ...message }),
  });
  return answer.json();
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
