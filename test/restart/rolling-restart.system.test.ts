import { execFile, spawnSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Outcomes } from './load.ts';

const SCENE = path.resolve(import.meta.dirname, 'rolling-restart.ts');

/** Runs a program in a network namespace of its own, with the kernel setting of docs/operations.md. */
const IN_OWN_NETWORK = [
  ...['unshare', '--map-root-user', '--net', 'sh', '-c'],
  'ip link set lo up && echo 1 > /proc/sys/net/ipv4/tcp_migrate_req && exec "$@"',
  'sh',
];

/** Without permission for that, a connection is lost if it arrives during the microseconds of a close, which is rare. */
function commandLine(): string[] {
  const [program = '', ...rest] = IN_OWN_NETWORK;
  const isAllowed = spawnSync(program, [...rest, 'true']).status === 0;
  return [...(isAllowed ? IN_OWN_NETWORK : []), process.execPath, SCENE];
}

test('two processes on the same ports restart under load without a failed request', async () => {
  const [program = '', ...rest] = commandLine();
  const { stdout } = await promisify(execFile)(program, rest);
  const { exits, outcomes } = JSON.parse(stdout) as { exits: number[]; outcomes: Outcomes };
  const { 200: answered, ...failed } = outcomes;
  expect(failed).toEqual({});
  expect(answered).toBeGreaterThan(100);
  expect(exits).toEqual([0, 0]);
}, 60_000);
