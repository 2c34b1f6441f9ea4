import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';

const WEBHOOK = 'https://discord.com/api/webhooks/ID/TOKEN';
const STREAM = '{listing}/api/anime/events/stream';

async function announce({ title, episode, link }) {
  const { ok, status } = await fetch(WEBHOOK, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ content: `**${title}** episode ${episode}\n${link ?? ''}` }),
  });
  if (!ok) throw new Error(`Discord: ${status}`);
}

let last;
while (true) {
  try {
    const { body } = await fetch(STREAM, { headers: last ? { 'Last-Event-ID': last } : {} });
    let message = {};
    for await (const line of createInterface({ input: Readable.fromWeb(body) })) {
      const [field, value] = line.split(/: (.*)/);
      message[field] = value;
      if (line !== '') continue;
      if (message.event === 'new-episode') await announce(JSON.parse(message.data));
      last = message.id ?? last;
      message = {};
    }
  } catch (error) {
    console.error(error);
  }
  await setTimeout(5_000);
}
