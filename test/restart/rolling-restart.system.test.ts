import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, runCommand, START, temporaryFolder } from '../support/service.ts';
import { openTestSource } from '../support/source.ts';
import { startLoad } from './load.ts';

const HERE = import.meta.dirname;
const READERS = 12;

/** Passes the same two sockets to each process that it starts, as systemd does. */
async function openSupervisor() {
  const source = await openTestSource(onTestFinished);
  const environment = {
    DATA_DIR: await temporaryFolder(onTestFinished),
    SOURCE_URLS: source.origin,
    REFRESH_CRON: 'off',
    UPLOAD_RATE_LIMIT: '10000',
    UPLOAD_RATE_WINDOW: '1s',
  };
  await runCommand(['refresh'], environment, onTestFinished).ended;
  const command = [path.join(HERE, 'pass-sockets.py'), process.execPath, START, 'serve'];
  const supervisor = spawn('python3', command, { env: { PATH: process.env.PATH, ...environment } });
  const lines = createInterface(supervisor.stdout)[Symbol.asyncIterator]();
  const nextNumber = async () => Number((await lines.next()).value);
  let log = '';
  supervisor.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  onTestFinished(() => void supervisor.kill());
  const [listing, uploads] = [await nextNumber(), await nextNumber()];

  return {
    listing: `http://127.0.0.1:${listing}`,
    uploads: `http://127.0.0.1:${uploads}`,
    log: () => log,
    /** Starts a process, without waiting until it answers. Resolves with its id. */
    async start(): Promise<number> {
      supervisor.stdin.write('start\n');
      const pid = await nextNumber();
      onTestFinished(() => kill(pid, 'SIGKILL'));
      return pid;
    },
    /** Resolves once the number of processes that have ever answered is this. */
    whenReady: (count: number) =>
      eventually(
        async () => log.match(/uploads listening on/gu)?.length ?? 0,
        (ready) => ready === count,
      ),
    /** Resolves once the number of processes that have stopped as they should is this. */
    whenStopped: (count: number) =>
      eventually(
        async () => log.match(/"type":"stopped"/gu)?.length ?? 0,
        (stopped) => stopped === count,
      ),
  };
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

test('two processes on the same sockets restart under load without a failed request', async () => {
  const supervisor = await openSupervisor();
  const old = [await supervisor.start(), await supervisor.start()];
  await supervisor.whenReady(2);
  const load = startLoad(supervisor.listing, supervisor.uploads, READERS);
  for (const [index, pid] of old.entries()) {
    kill(pid, 'SIGTERM');
    await supervisor.whenStopped(index + 1);
    await supervisor.start();
    await supervisor.whenReady(3 + index);
  }
  const { 200: answered, ...failed } = await load.stop();
  expect(failed).toEqual({});
  expect(answered).toBeGreaterThan(100);
}, 90_000);

test('one process restarts under load without a failed request: the others wait at its sockets', async () => {
  const supervisor = await openSupervisor();
  const old = await supervisor.start();
  await supervisor.whenReady(1);
  const load = startLoad(supervisor.listing, supervisor.uploads, READERS);
  kill(old, 'SIGTERM');
  await supervisor.whenStopped(1);
  await supervisor.start();
  await supervisor.whenReady(2);
  const { 200: answered, ...failed } = await load.stop();
  expect(failed).toEqual({});
  expect(answered).toBeGreaterThan(10);
}, 90_000);
