import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Uploads files of `megabytes` MB, in a form or by PUT, all at once, as fast as possible or at a rate, and prints the last response; or again and again
 * until it is stopped.
 */

const MB = 1024 ** 2;
const PIECE = randomBytes(64 * 1024);
/** Of the length that browsers use, because parsers find a longer boundary faster. */
const BOUNDARY = '----WebKitFormBoundary7MA4YWxkTrZu0gW';
const HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="x.bin"\r\n\r\n`;
const TAIL = `\r\n--${BOUNDARY}--\r\n`;

const {
  url,
  uploads,
  megabytes,
  method = 'POST',
  mbPerSecond = null,
  isForever = false,
} = JSON.parse(process.argv[2] ?? '{}');
const startedAt = performance.now();
/** The number of bytes that one upload may have sent so far. */
const due = () => (mbPerSecond ? ((performance.now() - startedAt) / 1_000) * mbPerSecond * MB : Infinity);

function send() {
  if (method === 'PUT') return request(url, { method, headers: { 'Content-Length': megabytes * MB } });
  const headers = {
    'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
    'Content-Length': HEAD.length + megabytes * MB + TAIL.length,
  };
  return request(url, { method, headers });
}

async function upload(): Promise<string> {
  const sending = send();
  const answered = once(sending, 'response');
  const isForm = method === 'POST';
  if (isForm) sending.write(HEAD);
  for (let sent = 0; sent < megabytes * MB; sent += PIECE.length) {
    while (sent > due()) await sleep(5);
    if (!sending.write(PIECE)) await once(sending, 'drain');
  }
  sending.end(isForm ? TAIL : undefined);
  const [response] = await answered;
  const text = Buffer.concat(await response.toArray()).toString();
  if (response.statusCode !== 200) throw new Error(`answered ${response.statusCode}: ${text}`);
  return text;
}

async function uploadForever(): Promise<never> {
  // In some measurements the server restarts meanwhile.
  for (;;) await upload().catch(() => {});
}

const answers = await Promise.all(Array.from({ length: uploads }, isForever ? uploadForever : upload));
console.log(JSON.stringify({ answer: answers.at(-1) }));
