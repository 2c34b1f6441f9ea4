import { once } from 'node:events';
import { createServer } from 'node:net';
import { runCommand, startServe, temporaryFolder } from '../support/service.ts';
import { openTestSource } from '../support/source.ts';
import { startLoad } from './load.ts';

/**
 * Restarts two processes on the same two ports one after the other, under load. Prints the outcome of the requests as
 * JSON. It is a program of its own because the test runs it in a network namespace of its own.
 */

const READERS = 12;

const undo: (() => void | Promise<void>)[] = [];
const defer = (step: () => void | Promise<void>) => void undo.unshift(step);

const source = await openTestSource(defer);
const [PORT, UPLOAD_PORT] = [String(await freePort()), String(await freePort())];
const environment = {
  PORT,
  UPLOAD_PORT,
  REUSE_PORT: 'on',
  DATA_DIR: await temporaryFolder(defer),
  SOURCE_URLS: source.origin,
  REFRESH_CRON: 'off',
  UPLOAD_RATE_LIMIT: '10000',
  UPLOAD_RATE_WINDOW: '1s',
};

await runCommand(['refresh'], environment, defer).ended;
const processes = [await startServe(environment, defer), await startServe(environment, defer)];
const load = startLoad(`http://127.0.0.1:${PORT}`, `http://127.0.0.1:${UPLOAD_PORT}`, READERS);
const exits: (number | string)[] = [];
for (const old of processes) {
  old.kill('SIGTERM');
  exits.push(await old.ended);
  await startServe(environment, defer);
}
console.log(JSON.stringify({ exits, outcomes: await load.stop() }));
for (const step of undo) await step();

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
