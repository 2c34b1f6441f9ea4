import { createLingering } from '../http/server/linger.ts';
import { type Refusal, refuse } from '../http/server/refuse.ts';
import { type HttpServer, openServer } from '../http/server.ts';
import type { Config } from './config.ts';

const RESTARTING: Refusal = {
  status: 503,
  message: 'the uploads are being restarted; try again in a moment',
  headers: { 'Access-Control-Allow-Origin': '*', 'Retry-After': '1' },
};

/** The port of the uploads, which is held whenever their thread has failed: it answers 503 then. */
export interface UploadsPort {
  port: number;
  /** Stops listening, so that the thread can bind the port. */
  release(): Promise<void>;
  /** Listens, after the thread has failed. */
  reclaim(): Promise<void>;
}

/**
 * Before the first start of the thread the port is left free, so that the first answer is the thread's; only 0 is bound at once,
 * to pick a port. A socket that a supervisor has passed on is closed when the thread ends, and only a new process gets it again:
 * this one is stopped.
 */
export async function openUploadsPort({ host, upload, sockets }: Config): Promise<UploadsPort> {
  if (sockets.uploads !== undefined) {
    const stop = async () => void process.kill(process.pid, 'SIGTERM');
    return { port: upload.port, release: async () => {}, reclaim: stop };
  }
  let server: HttpServer | undefined = upload.port === 0 ? await open(0) : undefined;
  const port = server?.port ?? upload.port;

  function open(requestedPort: number): Promise<HttpServer> {
    const lingering = createLingering();
    return openServer({ host, port: requestedPort }, (request, response) =>
      refuse(response, RESTARTING, { lingering, client: request.socket.remoteAddress ?? '' }),
    );
  }

  return {
    port,
    async release() {
      const open = server;
      server = undefined;
      await open?.close();
    },
    async reclaim() {
      // When another process has taken the port meanwhile, the thread reports it at its next start.
      server ??= await open(port).catch(() => undefined);
    },
  };
}
