import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test, vi } from 'vitest';
import { describeWith, hasProgram } from '../support/needs.ts';
import { type Origins, type StartProxy, startCaddy, startHaproxy, startNginx } from '../support/proxies.ts';
import { describeWithRedis, findFreePort, openTestRedis } from '../support/redis.ts';
import { eventually, runCommand, START, startServe, temporaryFolder } from '../support/service.ts';
import { openTestSource } from '../support/source.ts';
import { startLoad } from './load.ts';

vi.setConfig({ testTimeout: 240_000 });

const HERE = import.meta.dirname;
/** Each of two processes is restarted so often. */
const ROUNDS = 2;

/** What both processes of a test have in common, after a first crawl. */
async function prepare(environment: Record<string, string> = {}): Promise<Record<string, string>> {
  const source = await openTestSource(onTestFinished);
  const shared = {
    DATA_DIR: await temporaryFolder(onTestFinished),
    SOURCE_URLS: source.origin,
    REFRESH_CRON: 'off',
    UPLOAD_RATE_LIMIT: '10000',
    UPLOAD_RATE_WINDOW: '1s',
    ...environment,
  };
  await runCommand(['refresh'], shared, onTestFinished).ended;
  return shared;
}

/** No request may have failed, and each kind of them must have been answered. */
async function expectNoFailure(load: ReturnType<typeof startLoad>): Promise<void> {
  const { good, failed } = await load.stop();
  expect(failed).toEqual({});
  expect(Object.keys(good)).toHaveLength(7);
}

describeWithRedis('two processes on one Redis are restarted under load without a failed request', () => {
  const PROXIES: [string, string, StartProxy, Record<string, string>][] = [
    ['the Caddyfile of compose.yaml', 'caddy', startCaddy, { SHUTDOWN_DELAY: '3s' }],
    ['HAProxy', 'haproxy', startHaproxy, { SHUTDOWN_DELAY: '3s' }],
    ['nginx', 'nginx', startNginx, {}],
  ];
  for (const [name, program, start, environment] of PROXIES)
    describeWith(hasProgram(program), program)('behind', () => {
      test(name, async () => {
        const redis = (await openTestRedis(onTestFinished)).url();
        const shared = await prepare({
          ...{ CACHE_URL: redis, UPLOAD_LIMITER_URL: redis, TRUST_PROXY: '1' },
          ...environment,
        });
        const processes = [await choosePorts(), await choosePorts()];
        const front = await start(processes.map(originsAt), onTestFinished);
        const own = { ...shared, BASE_URL: front.listing, UPLOAD_URL: front.uploads };
        const serve = (ports: Record<string, string>) => startServe({ ...own, ...ports }, onTestFinished);
        const running = await Promise.all(processes.map(serve));
        await Promise.all(Object.values(front).map(isAnswered));
        const load = startLoad(front);
        for (let restart = 0; restart < 2 * ROUNDS; restart += 1) {
          const index = restart % 2;
          running[index]?.kill('SIGTERM');
          expect(await running[index]?.ended).toBe(0);
          running[index] = await serve(processes[index]!);
        }
        await expectNoFailure(load);
      });
    });
});

async function choosePorts() {
  return { PORT: String(await findFreePort()), UPLOAD_PORT: String(await findFreePort()) };
}

function originsAt({ PORT, UPLOAD_PORT }: { PORT: string; UPLOAD_PORT: string }): Origins {
  return { listing: `http://127.0.0.1:${PORT}`, uploads: `http://127.0.0.1:${UPLOAD_PORT}` };
}

const isAnswered = (origin: string) =>
  eventually(
    () => fetch(`${origin}/readyz`),
    ({ status }) => status === 200,
  );

/** Passes the same two sockets to each process that it starts, as systemd does. */
async function openSupervisor() {
  const environment = await prepare();
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
  const whenLogged = (line: RegExp, count: number) =>
    eventually(
      async () => log.match(line)?.length ?? 0,
      (found) => found === count,
    );

  return {
    origins: { listing: `http://127.0.0.1:${listing}`, uploads: `http://127.0.0.1:${uploads}` },
    /** Starts a process, without waiting until it answers. Resolves with its id. */
    async start(): Promise<number> {
      supervisor.stdin.write('start\n');
      const pid = await nextNumber();
      onTestFinished(() => kill(pid, 'SIGKILL'));
      return pid;
    },
    /** Resolves once the number of processes that have ever answered is this. */
    whenReady: (count: number) => whenLogged(/uploads listening on/gu, count),
    /** Resolves once the number of processes that have stopped as they should is this. */
    whenStopped: (count: number) => whenLogged(/"type":"stopped"/gu, count),
  };
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

test.each([
  ['one process on passed sockets is restarted under load without a failed request', 1],
  ['two processes on the same passed sockets are restarted under load without a failed request', 2],
])('%s', async (_, count) => {
  const supervisor = await openSupervisor();
  const running: number[] = [];
  for (let index = 0; index < count; index += 1) running.push(await supervisor.start());
  await supervisor.whenReady(count);
  const load = startLoad(supervisor.origins);
  for (let restart = 0; restart < 2 * ROUNDS; restart += 1) {
    kill(running.shift()!, 'SIGTERM');
    await supervisor.whenStopped(restart + 1);
    running.push(await supervisor.start());
    await supervisor.whenReady(count + restart + 1);
  }
  await expectNoFailure(load);
});
