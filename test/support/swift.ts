import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Defer } from './defer.ts';
import { endProcess } from './end-process.ts';
import { describeWith, hasProgram } from './needs.ts';
import { createBucket, type TestBucket } from './s3-bucket.ts';
import { temporaryFolder } from './service.ts';

/** The interpreter that Debian's packages are for; another one may come first in PATH. */
const PYTHON = '/usr/bin/python3';
const SCRIPT = path.resolve(import.meta.dirname, 'swift/serve.py');

/** The only key that the server knows. */
const SWIFT_KEY = { AWS_ACCESS_KEY_ID: 'test:tester', AWS_SECRET_ACCESS_KEY: 'testing' };

export const hasSwift = (): boolean => hasProgram('swift-proxy-server');
export const SWIFT = 'OpenStack Swift: install swift-proxy, swift-account, swift-container and swift-object';

/** `describe` for tests that need OpenStack Swift, a server with an API of S3. */
export function describeWithSwift(name: string, tests: () => void): void {
  describeWith(hasSwift(), SWIFT)(name, tests);
}

/** Starts Swift on free ports of the loopback, with its files in a temporary folder and one bucket. */
export async function openTestSwift(defer: Defer): Promise<TestBucket> {
  const folder = await temporaryFolder(defer);
  const { AWS_ACCESS_KEY_ID: key, AWS_SECRET_ACCESS_KEY: secret } = SWIFT_KEY;
  const child = spawn(PYTHON, [SCRIPT, folder, key.replace(':', '_'), secret], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  // All of its processes end when its standard input is closed.
  defer(() => endProcess(child, () => child.stdin.end()));
  const first = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
  if (first.done) throw new Error('Swift did not start');
  return createBucket(`http://127.0.0.1:${first.value}`, SWIFT_KEY);
}

/** Sets the key for storages that are opened in this process. */
export function useSwiftKey(): void {
  Object.assign(process.env, SWIFT_KEY);
}
