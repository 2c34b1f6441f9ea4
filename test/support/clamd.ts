import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import path from 'node:path';
import { openClamdScanner } from '../../src/uploads/scanners/clamd.ts';
import { parseClamdUrl } from '../../src/uploads/scanners/clamd-connection.ts';
import type { Defer } from './defer.ts';
import { endProcess } from './end-process.ts';
import { manualLines } from './manual.ts';
import { describeWith, hasProgram } from './needs.ts';
import { findFreePort } from './redis.ts';
import { eventually, temporaryFolder } from './service.ts';

/** The end of a file: the length of an empty chunk. */
const END = Buffer.alloc(4);

/** What the daemon of the tests finds, wherever it stands in a file, and what it calls it. */
export const MALWARE = Buffer.from('tayang-test-signature-5f3a91c27e');
export const SIGNATURE = 'Tayang.Test.UNOFFICIAL';

/** Tests that need a ClamAV daemon of their own. */
export function describeWithClamd(name: string, tests: () => void): void {
  describeWith(hasProgram('clamd'), 'clamd: install clamav-daemon')(name, tests);
}

export type TestClamd = Awaited<ReturnType<typeof openTestClamd>>;

/** A real clamd with one signature, on a free port of the loopback and on a Unix socket. */
export async function openTestClamd(defer: Defer, settings: readonly string[] = []) {
  const folder = await temporaryFolder(defer);
  const database = path.join(folder, 'database');
  const file = path.join(folder, 'clamd.conf');
  const socket = path.join(folder, 'clamd.socket');
  const port = await findFreePort();
  const url = `clamd://127.0.0.1:${port}`;
  let child: ChildProcess;
  await mkdir(database);
  await writeFile(path.join(database, 'test.ndb'), `Tayang.Test:0:*:${MALWARE.toString('hex')}\n`);
  await writeFile(
    file,
    [
      // clamd goes by the first line of an option.
      ...settings,
      ...['Foreground yes', `DatabaseDirectory ${database}`, `TemporaryDirectory ${folder}`],
      ...['TCPAddr 127.0.0.1', `TCPSocket ${port}`, `LocalSocket ${socket}`, `PidFile ${folder}/clamd.pid`],
      ...['FixStaleSocket yes', ...manualLines('clamd')],
    ].join('\n'),
  );

  async function start(): Promise<void> {
    child = spawn('clamd', ['--foreground', `--config-file=${file}`], { stdio: 'ignore' });
    const { check } = openClamdScanner(parseClamdUrl(url), { report: () => {} });
    await eventually(
      () =>
        check(AbortSignal.timeout(5_000)).then(
          () => true,
          () => false,
        ),
      Boolean,
    );
  }

  const kill = () => endProcess(child);
  await start();
  defer(kill);
  return {
    /** Its port, and its Unix socket. */
    url,
    socketUrl: `clamd:${socket}`,
    kill,
    start,
    /** Keeps it from answering. */
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
  };
}

/** A daemon that replies this to whatever it is sent, or only to the end of a file; without a reply it keeps silent. */
export function openFakeClamd(defer: Defer, reply?: string, { atEnd = false } = {}): Promise<string> {
  return listen(defer, (socket) => {
    socket.on('data', (data) => {
      const isDue = !atEnd || data.subarray(-END.length).equals(END);
      if (reply !== undefined && isDue) socket.end(reply);
    });
  });
}

/** A daemon that accepts connections and reads nothing, like a suspended one. */
export function openUnreadClamd(defer: Defer): Promise<string> {
  return listen(defer, (socket) => void socket.pause());
}

async function listen(defer: Defer, serve: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => serve(socket.on('error', () => {}))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  defer(() => void server.close());
  const { port } = server.address() as { port: number };
  return `clamd://127.0.0.1:${port}`;
}
