import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Defer } from './defer.ts';
import { endProcess } from './end-process.ts';
import { findFreePort } from './redis.ts';
import { createBucket, type RealS3, type TestBucket } from './s3-bucket.ts';
import { eventually, temporaryFolder } from './service.ts';

const run = promisify(execFile);

/** The only key that the server knows. */
const [ID, SECRET] = ['ceph', 'testing'] as const;

export const CEPH: RealS3 = {
  program: 'radosgw',
  needs: 'Ceph: install radosgw, ceph-mon and ceph-osd',
  open: openTestCeph,
};

/** One monitor, one store of objects in memory, and the gateway; nothing is replicated. */
const SETTINGS = readFileSync(path.join(import.meta.dirname, 'ceph.conf'), 'utf8');

/** Its objects are in memory. */
async function openTestCeph(defer: Defer): Promise<TestBucket> {
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
  const user = ['--uid=test', '--display-name=test', `--access-key=${ID}`, `--secret=${SECRET}`];
  await run('radosgw-admin', [...config, '-n', 'client.admin', 'user', 'create', ...user]);
  const origin = `http://127.0.0.1:${gateway}`;
  await eventually(() => fetch(origin).catch(() => undefined), Boolean);
  return createBucket(origin, [ID, SECRET]);
}

async function createKeys(file: string): Promise<void> {
  const all = (...daemons: string[]) => daemons.flatMap((daemon) => ['--cap', daemon, 'allow *']);
  await run('ceph-authtool', ['-C', file, '--gen-key', '-n', 'mon.', ...all('mon')]);
  for (const name of ['client.admin', 'osd.0'])
    await run('ceph-authtool', [file, '--gen-key', '-n', name, ...all('mon', 'osd', 'mgr')]);
}
