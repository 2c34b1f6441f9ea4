import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { filePart, MULTIPART, multipart } from '../../../support/upload-body.ts';
import { renderText } from '../../vectors/text.ts';
import REQUESTS from './hostile.json' with { type: 'json' };
import type { Tally } from './tally.ts';

/** Longer than the service gives any of these. */
const MAX_MS = 120_000;
const LEAVES_AFTER_MS = 20_000;
const BYTE_EVERY_MS = 1_000;

/** Requests that no well-behaved client sends. None may be answered by a status of 500 or more. */
export function startHostile(listing: string, uploads: string, tally: Tally): void {
  const requests = [
    ...REQUESTS.listing.map((text) => ({ origin: listing, text })),
    ...REQUESTS.uploads.map((text) => ({ origin: uploads, text })),
  ];
  tally.every(700, 'hostile', async (turn) => {
    const { origin, text } = requests[turn % requests.length]!;
    const socket = await open(origin);
    const head = `Host: x\r\nConnection: close\r\nX-Forwarded-For: 203.0.113.${turn % 200}\r\n`;
    const filledIn = renderText(text)
      .replace('{head}', head)
      .replace('{multipart}', 'Content-Type: multipart/form-data; boundary=x\r\n');
    socket.write(filledIn, 'latin1');
    const status = Number(/^HTTP\/1\.1 (\d{3})/u.exec(await readUntilClosed(socket))?.[1] ?? 0);
    tally.expect('hostile', status, status < 500 ? [status] : []);
  });
}

/** Senders of one byte a second: of a file, or of headers. Every second one leaves; the service closes the others. */
export function startSlowSenders(uploads: string, tally: Tally): void {
  tally.every(5_000, 'slow sender', async (turn) => {
    const head = `POST /upload HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.${turn % 200}\r\n`;
    const rest = `Content-Type: ${MULTIPART}\r\nContent-Length: 100000\r\n\r\n${multipart(filePart()).toString()}`;
    const socket = await open(uploads);
    socket.write(turn % 4 < 2 ? head : `${head}${rest.slice(0, -10)}`);
    const timer = setInterval(() => socket.write('x'), BYTE_EVERY_MS);
    if (turn % 2 === 0) void sleep(LEAVES_AFTER_MS).then(() => socket.destroy());
    await readUntilClosed(socket).finally(() => clearInterval(timer));
  });
}

/** Readers of a large file that do not read. */
export function startSlowReaders(origin: string, largeFile: () => string | undefined, tally: Tally): void {
  tally.every(6_000, 'slow reader', async () => {
    const path = largeFile();
    if (!path) return;
    const socket = await open(origin);
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await sleep(LEAVES_AFTER_MS);
    socket.destroy();
  });
}

async function open(origin: string): Promise<Socket> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket.on('error', () => {});
}

/** Resolves with what was received once the connection is closed; rejects when that takes too long. */
async function readUntilClosed(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('latin1').on('data', (data: string) => {
    text += data;
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(() => reject(new Error('not closed')), MAX_MS);
  socket.once('close', () => resolve(text));
  return promise.finally(() => clearTimeout(timer));
}
