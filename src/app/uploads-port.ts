import { type Refusal, refuse } from '../http/server/refuse.ts';
import { type HttpServer, openServer } from '../http/server.ts';
import type { Config } from './config.ts';

const RESTARTING: Refusal = {
  status: 503,
  message: 'the uploads are being restarted; try again in a moment',
  headers: { 'Access-Control-Allow-Origin': '*', 'Retry-After': '1' },
};

/** The port of the uploads. The main thread answers 503 on it whenever the uploads' thread does not run. */
export interface UploadsPort {
  port: number;
  /** Stops listening, so that the thread can bind the port. */
  release(): Promise<void>;
  /** Listens again, after the thread has failed. */
  reclaim(): Promise<void>;
}

/**
 * Binds the port; throws when it is taken. 0 picks a free one, which is kept from then on. On a port that other processes
 * share, this one never answers 503, because the others accept.
 */
export async function openUploadsPort({ host, upload, reusePort }: Config): Promise<UploadsPort> {
  if (reusePort) return { port: upload.port, release: async () => {}, reclaim: async () => {} };
  let server: HttpServer | undefined = await open(upload.port);
  const { port } = server;

  async function open(requestedPort: number): Promise<HttpServer> {
    const opened = await openServer({ host, port: requestedPort, reusePort: false });
    opened.serve((_request, response) => refuse(response, RESTARTING));
    return opened;
  }

  return {
    port,
    async release() {
      const open = server;
      server = undefined;
      await open?.close(0);
    },
    async reclaim() {
      // When another process has taken the port meanwhile, the thread reports it at its next start.
      server ??= await open(port).catch(() => undefined);
    },
  };
}
