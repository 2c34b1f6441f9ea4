import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { DisconnectReason, makeWASocket, useMultiFileAuthState } from '@whiskeysockets/baileys';
import qrcode from 'qrcode-terminal';

// The id of a group; the program prints those that you are in. A number is 628123456789@s.whatsapp.net.
const CHAT = '1234567890@g.us';

const { state, saveCreds } = await useMultiFileAuthState('whatsapp');
let socket;
await connect();

/** Resolves once WhatsApp is connected. Whenever the connection breaks, it connects again. */
function connect() {
  return new Promise((resolve) => {
    const opened = makeWASocket({ auth: state });
    opened.ev.on('creds.update', saveCreds);
    opened.ev.on('connection.update', async ({ connection, lastDisconnect, qr }) => {
      if (qr) qrcode.generate(qr, { small: true });
      if (connection === 'open') {
        socket = opened;
        resolve(opened);
        const groups = Object.values(await opened.groupFetchAllParticipating());
        for (const { id, subject } of groups) console.log(id, subject);
      }
      if (connection !== 'close') return;
      if (lastDisconnect?.error?.output?.statusCode === DisconnectReason.loggedOut) {
        console.error('Logged out: delete the folder whatsapp, and start again.');
        process.exit(1);
      }
      await setTimeout(3_000);
      connect().then(resolve);
    });
  });
}

async function announce({ title, episode, page, image }) {
  const text = `${title} – episode ${episode}\n${page}`;
  await socket.sendMessage(CHAT, image ? { image: { url: image }, caption: text } : { text });
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
