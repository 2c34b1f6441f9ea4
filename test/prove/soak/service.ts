import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';

const START = path.resolve(import.meta.dirname, '../../../src/start.js');

export interface RunningService {
  listing: string;
  uploads: string;
  operations: string;
  /** Rejects when the service has ended. */
  ended: Promise<never>;
  /** Resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Starts the service as an operator does, with metrics, and waits for its addresses. */
export async function startService(
  folder: string,
  environment: Record<string, string>,
): Promise<RunningService> {
  const metricsPort = await findFreePort();
  const child = spawn(process.execPath, [START, 'serve'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      DATA_DIR: folder,
      PORT: '0',
      UPLOAD_PORT: '0',
      METRICS_PORT: String(metricsPort),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const ended = exited.then(([code, signal]) => {
    throw new Error(`the service ended by itself: ${signal ?? code}`);
  });
  ended.catch(() => {});
  const lines = createInterface({ input: child.stdout });
  const addresses: string[] = [];
  const { promise: started, resolve } = Promise.withResolvers<void>();
  lines.on('line', (line) => {
    const address = /"(?:listening|measuring)".*?"address":"(http[^"]+)"/u.exec(line)?.[1];
    if (address && addresses.push(address) === 3) resolve();
  });
  await Promise.race([started, ended]);
  // The lines come in this order.
  const [listing = '', uploads = '', operations = ''] = addresses;
  return {
    listing,
    uploads,
    operations,
    ended,
    async stop() {
      child.kill('SIGTERM');
      const [code] = await exited;
      return code;
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The address of a server on a TCP port is an AddressInfo.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
