import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Defer } from './defer.ts';
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
const settings = (folder: string, fsid: string, monitor: number, gateway: number) => `
[global]
fsid = ${fsid}
mon_host = [v2:127.0.0.1:${monitor}/0]
mon_initial_members = a
mon_data = ${folder}/mon
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
mon_cluster_log_to_file = false
osd_data = ${folder}/osd
osd_objectstore = memstore
memstore_device_bytes = 8589934592
osd_crush_chooseleaf_type = 0
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
paxos_propose_interval = 0.05
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
keyring = ${folder}/keyring
run_dir = ${folder}
admin_socket =
log_to_file = false
log_to_stderr = false
rgw_data = ${folder}/rgw
rgw_frontends = beast endpoint=127.0.0.1:${gateway}
rgw_gc_obj_min_wait = 5
rgw_gc_processor_period = 10
`;

/** Starts Ceph on free ports of the loopback, with its objects in memory and one bucket. */
export async function openTestCeph(defer: Defer): Promise<TestBucket> {
  const folder = await temporaryFolder(defer);
  const [monitor, gateway, fsid] = [await findFreePort(), await findFreePort(), randomUUID()];
  const at = (name: string) => path.join(folder, name);
  const config = ['-c', at('ceph.conf')];
  for (const name of ['mon', 'osd', 'rgw']) await mkdir(at(name));
  await writeFile(at('ceph.conf'), settings(folder, fsid, monitor, gateway));
  await createKeys(at('keyring'));

  /** Starts a server that ends with this process, however that ends. */
  function serve(program: string, ...args: string[]): void {
    const options = ['--pdeathsig', 'KILL', program, ...config, '-f', ...args];
    const child = spawn('setpriv', options, { stdio: 'ignore' });
    defer(async () => {
      const ended = once(child, 'exit');
      if (child.kill('SIGKILL')) await ended;
    });
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
