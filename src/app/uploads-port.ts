import { type Refusal, refuse } from '../http/server/refuse.ts';
import { type HttpServer, openServer } from '../http/server.ts';
import type { Config } from './config.ts';

const RESTARTING: Refusal = {
  status: 503,
  message: 'the uploads are being restarted; try again in a moment',
  headers: { 'Access-Control-Allow-Origin': '*', 'Retry-After': '1' },
};

/**
 * Binds the port of the uploads, on which the main thread answers 503 whenever their thread does not run. Throws when the
 * port is taken. 0 picks a free one, which is kept from then on. A socket that a supervisor has passed on is closed when the
 * thread ends, and only a new process gets it again: this one is stopped. The connections wait.
 */
export async function openUploadsPort(
  { host, upload, sockets }: Config,
  stopProcess: () => void = () => void process.kill(process.pid, 'SIGTERM'),
) {
  if (sockets.uploads !== undefined) {
    return { port: upload.port, release: async () => {}, reclaim: async () => void stopProcess() };
  }
  let server: HttpServer | undefined = await open(upload.port);
  const { port } = server;

  async function open(requestedPort: number): Promise<HttpServer> {
    const opened = await openServer({ host, port: requestedPort });
    opened.serve((_request, response) => refuse(response, RESTARTING));
    return opened;
  }

  return {
    port,
    /** Stops listening, so that the thread can bind the port. */
    async release(): Promise<void> {
      const open = server;
      server = undefined;
      await open?.close(0);
    },
    /** Listens again, after the thread has failed. */
    async reclaim(): Promise<void> {
      // When another process has taken the port meanwhile, the thread reports it at its next start.
      server ??= await open(port).catch(() => undefined);
    },
  };
}
