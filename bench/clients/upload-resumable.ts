import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';

/** Uploads files of `megabytes` MB by tus, all at once, each in one PATCH and as fast as the server reads it. */

const MB = 1024 ** 2;
const PIECE = randomBytes(64 * 1024);
const VERSION = { 'Tus-Resumable': '1.0.0' };

const { url, uploads, megabytes } = JSON.parse(process.argv[2] ?? '{}');

async function upload(): Promise<void> {
  const created = await fetch(url, {
    method: 'POST',
    headers: { ...VERSION, 'Upload-Length': String(megabytes * MB) },
  });
  const { pathname } = new URL(created.headers.get('location') ?? '');
  const sending = request(new URL(pathname, url), {
    method: 'PATCH',
    headers: {
      ...VERSION,
      'Content-Type': 'application/offset+octet-stream',
      'Content-Length': megabytes * MB,
      'Upload-Offset': 0,
    },
  });
  const answered = once(sending, 'response');
  for (let sent = 0; sent < megabytes * MB; sent += PIECE.length) {
    if (!sending.write(PIECE)) await once(sending, 'drain');
  }
  sending.end();
  const [response] = await answered;
  response.resume();
  if (response.statusCode !== 204) throw new Error(`answered ${response.statusCode}`);
}

await Promise.all(Array.from({ length: uploads }, upload));
console.log('{}');
