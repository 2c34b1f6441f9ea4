import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';

/** Uploads files of `megabytes` MB until it is stopped: `uploads` at once, as fast as the server reads them. */

const MB = 1024 ** 2;
const PIECE = randomBytes(64 * 1024);
const BOUNDARY = '----WebKitFormBoundary7MA4YWxkTrZu0gW';
const HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="x.bin"\r\n\r\n`;
const TAIL = `\r\n--${BOUNDARY}--\r\n`;

const { url, uploads, megabytes } = JSON.parse(process.argv[2] ?? '{}');

async function upload(): Promise<void> {
  const sending = request(`${url}?expires=1s`, {
    method: 'POST',
    headers: {
      'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
      'Content-Length': HEAD.length + megabytes * MB + TAIL.length,
    },
  });
  const answered = once(sending, 'response');
  sending.write(HEAD);
  for (let sent = 0; sent < megabytes * MB; sent += PIECE.length) {
    if (!sending.write(PIECE)) await once(sending, 'drain');
  }
  sending.end(TAIL);
  const [response] = await answered;
  await response.toArray();
}

async function uploadForever(): Promise<never> {
  // In some measurements the server restarts meanwhile.
  for (;;) await upload().catch(() => {});
}

await Promise.all(Array.from({ length: uploads }, uploadForever));
