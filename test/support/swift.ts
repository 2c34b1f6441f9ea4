import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Defer } from './defer.ts';
import { endProcess } from './end-process.ts';
import { createBucket, type RealS3, type TestBucket } from './s3-bucket.ts';
import { temporaryFolder } from './service.ts';

/** The interpreter that Debian's packages are for; another one may come first in PATH. */
const PYTHON = '/usr/bin/python3';
const SCRIPT = path.resolve(import.meta.dirname, 'swift/serve.py');

/** The only key that the server knows. */
const [ID, SECRET] = ['test:tester', 'testing'] as const;

export const SWIFT: RealS3 = {
  program: 'swift-proxy-server',
  needs: 'OpenStack Swift: install swift-proxy, swift-account, swift-container and swift-object',
  open: openTestSwift,
};

/** Its files are in a temporary folder. */
async function openTestSwift(defer: Defer): Promise<TestBucket> {
  const folder = await temporaryFolder(defer);
  const child = spawn(PYTHON, [SCRIPT, folder, ID.replace(':', '_'), SECRET], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  // All of its processes end when its standard input is closed.
  defer(() => endProcess(child, () => child.stdin.end()));
  const first = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
  if (first.done) throw new Error('Swift did not start');
  return createBucket(`http://127.0.0.1:${first.value}`, [ID, SECRET]);
}
