import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Defer } from './defer.ts';
import { endProcess } from './end-process.ts';
import { describeWith, hasProgram } from './needs.ts';
import { findFreePort } from './redis.ts';
import { createBucket, type TestBucket } from './s3-bucket.ts';
import { eventually, temporaryFolder } from './service.ts';

const run = promisify(execFile);

/** The only key that the server knows. */
const CEPH_KEY = { AWS_ACCESS_KEY_ID: 'ceph', AWS_SECRET_ACCESS_KEY: 'testing' };

export const hasCeph = (): boolean => hasProgram('radosgw');
export const CEPH = 'Ceph: install radosgw, ceph-mon and ceph-osd';

/** `describe` for tests that need Ceph's gateway, a server with an API of S3. */
export function describeWithCeph(name: string, tests: () => void): void {
  describeWith(hasCeph(), CEPH)(name, tests);
}

/** One monitor, one store of objects in memory, and the gateway; nothing is replicated. */
const SETTINGS = readFileSync(path.join(import.meta.dirname, 'ceph.conf'), 'utf8');

/** Starts Ceph on free ports of the loopback, with its objects in memory and one bucket. */
export async function openTestCeph(defer: Defer): Promise<TestBucket> {
  const folder = await temporaryFolder(defer);
  const [monitor, gateway, fsid] = [await findFreePort(), await findFreePort(), randomUUID()];
  const at = (name: string) => path.join(folder, name);
  const config = ['-c', at('ceph.conf')];
  for (const name of ['mon', 'osd', 'rgw']) await mkdir(at(name));
  const values: Record<string, unknown> = { folder, fsid, monitor, gateway };
  const settings = SETTINGS.replaceAll(/\{(\w+)\}/gu, (_, name: string) => String(values[name]));
  await writeFile(at('ceph.conf'), settings);
  await createKeys(at('keyring'));

  /** Starts a server that ends with this process, however that ends. */
  function serve(program: string, ...args: string[]): void {
    const options = ['--pdeathsig', 'KILL', program, ...config, '-f', ...args];
    const child = spawn('setpriv', options, { stdio: 'ignore' });
    defer(() => endProcess(child));
  }

  const address = `[v2:127.0.0.1:${monitor}/0]`;
  await run('monmaptool', ['--create', '--fsid', fsid, '--addv', 'a', address, at('monmap')]);
  await run('ceph-mon', [
    ...config,
    ...['-i', 'a', '--mkfs', '--monmap', at('monmap'), '--keyring', at('keyring')],
  ]);
  serve('ceph-mon', '-i', 'a');
  const device = randomUUID();
  await run('ceph', [...config, 'osd', 'new', device]);
  await run('ceph-osd', [...config, '-i', '0', '--mkfs', '--osd-uuid', device]);
  serve('ceph-osd', '-i', '0');
  serve('radosgw', '-n', 'client.admin');
  const { AWS_ACCESS_KEY_ID: key, AWS_SECRET_ACCESS_KEY: secret } = CEPH_KEY;
  const user = ['--uid=test', '--display-name=test', `--access-key=${key}`, `--secret=${secret}`];
  await run('radosgw-admin', [...config, '-n', 'client.admin', 'user', 'create', ...user]);
  const origin = `http://127.0.0.1:${gateway}`;
  await eventually(() => fetch(origin).catch(() => undefined), Boolean);
  return createBucket(origin, CEPH_KEY);
}

async function createKeys(file: string): Promise<void> {
  const all = (...daemons: string[]) => daemons.flatMap((daemon) => ['--cap', daemon, 'allow *']);
  await run('ceph-authtool', ['-C', file, '--gen-key', '-n', 'mon.', ...all('mon')]);
  for (const name of ['client.admin', 'osd.0'])
    await run('ceph-authtool', [file, '--gen-key', '-n', name, ...all('mon', 'osd', 'mgr')]);
}

/** Sets the key for storages that are opened in this process. */
export function useCephKey(): void {
  Object.assign(process.env, CEPH_KEY);
}
