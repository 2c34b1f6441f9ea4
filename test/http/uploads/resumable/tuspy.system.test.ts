import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { openCuttingProxy } from '../../../support/cutting-proxy.ts';
import { testWith } from '../../../support/needs.ts';
import { temporaryFolder } from '../../../support/service.ts';
import { MB, openUploads } from '../../../support/upload-client.ts';
import { sha256 } from '../../../support/uploads.ts';

/** Debian's Python, which has the packages of Debian. */
const PYTHON = '/usr/bin/python3';
const hasTuspy = spawnSync(PYTHON, ['-c', 'import tusclient']).status === 0;
const CUTS = 4;

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

testWith(hasTuspy, 'tuspy')('tuspy uploads a file over a connection that breaks', async () => {
  const proxy = await openCuttingProxy(onTestFinished, {
    target: () => uploads.origin,
    nextCut: (before) => (before < CUTS ? 600_000 : Number.POSITIVE_INFINITY),
    bytesPerSecond: 20 * MB,
  });
  const uploads = await openUploads(onTestFinished, { UPLOAD_URL: proxy.origin });
  const bytes = randomBytes(5 * MB);
  const file = path.join(await temporaryFolder(onTestFinished), 'a.bin');
  await writeFile(file, bytes);

  const { stdout } = await promisify(execFile)(PYTHON, ['-c', SCRIPT, `${proxy.origin}/files`, file]);

  const { result } = (await uploads.send({ path: new URL(stdout.trim()).pathname })).json();
  const stored = await uploads.send({ path: new URL(result.url_file).pathname });
  expect(sha256(stored.body)).toBe(sha256(bytes));
  expect(result.originalname).toBe('a b.bin');
  expect(proxy.counts.cuts).toBe(CUTS);
});
