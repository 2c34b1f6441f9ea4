import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { testWith } from '../../../support/needs.ts';
import { temporaryFolder } from '../../../support/service.ts';
import { MB, openUploads } from '../../../support/upload-client.ts';
import { sha256 } from '../../../support/uploads.ts';

/** Debian's Python, which has the packages of Debian. */
const PYTHON = '/usr/bin/python3';
const hasTuspy = spawnSync(PYTHON, ['-c', 'import tusclient']).status === 0;
const CUTS = 4;
const CUT_AT = 600_000;

/** Uploads a file, and prints its address. */
const SCRIPT = `
import sys
from tusclient import client
endpoint, file = sys.argv[1:]
uploader = client.TusClient(endpoint).uploader(
    file, chunk_size=1_000_000, metadata={'filename': 'a b.bin'}, retries=${CUTS}, retry_delay=0.2)
uploader.upload()
print(uploader.url)
`;

/** A proxy that cuts the first connections in the middle; the server receives what was sent before the cut. */
async function openCuttingProxy(target: () => string) {
  const proxy = { origin: '', cuts: 0 };
  const server = createServer((client) => {
    const { hostname, port } = new URL(target());
    const upstream = connect(Number(port), hostname);
    let left = proxy.cuts < CUTS ? CUT_AT : Number.POSITIVE_INFINITY;
    client.on('error', () => upstream.destroy()).on('end', () => upstream.end());
    upstream.on('error', () => client.destroy()).pipe(client);
    client.on('data', (bytes) => {
      upstream.write(bytes.subarray(0, left));
      left -= bytes.length;
      if (left > 0) return;
      proxy.cuts += 1;
      upstream.unpipe(client).resume().end();
      client.destroy();
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  proxy.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}

testWith(hasTuspy, 'tuspy')('tuspy uploads a file over a connection that breaks', async () => {
  const proxy = await openCuttingProxy(() => uploads.origin);
  const uploads = await openUploads(onTestFinished, { UPLOAD_URL: proxy.origin });
  const bytes = randomBytes(5 * MB);
  const file = path.join(await temporaryFolder(onTestFinished), 'a.bin');
  await writeFile(file, bytes);

  const { stdout } = await promisify(execFile)(PYTHON, ['-c', SCRIPT, `${proxy.origin}/files`, file]);

  const { result } = (await uploads.send({ path: new URL(stdout.trim()).pathname })).json();
  const stored = await uploads.send({ path: new URL(result.url_file).pathname });
  expect(sha256(stored.body)).toBe(sha256(bytes));
  expect(result.originalname).toBe('a b.bin');
  expect(proxy.cuts).toBe(CUTS);
});
