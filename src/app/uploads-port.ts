import { type HttpServer, openServer } from '../http/server.ts';
import { answerUnavailable } from '../http/uploads/unavailable.ts';
import type { Config } from './config.ts';

const RETRY_AFTER_SECONDS = 1;

/** The port of the uploads, which the main thread answers with 503 whenever the thread that has it is away. */
export interface UploadsPort {
  port: number;
  /** Stops answering. */
  leave(): Promise<void>;
  /** Answers again. */
  answer(): Promise<void>;
}

/**
 * Binds the port; throws when it is taken. 0 picks a free one, which is kept from then on. Where other processes accept
 * on the port, this one never answers 503.
 */
export async function openUploadsPort({ host, upload, reusePort }: Config): Promise<UploadsPort> {
  if (reusePort) return { port: upload.port, leave: async () => {}, answer: async () => {} };
  let server: HttpServer | undefined = await open(upload.port);
  const { port } = server;

  async function open(wanted: number): Promise<HttpServer> {
    const opened = await openServer({ host, port: wanted, reusePort: false });
    opened.serve(answerUnavailable(RETRY_AFTER_SECONDS));
    return opened;
  }

  return {
    port,
    async leave() {
      const open = server;
      server = undefined;
      await open?.close(0);
    },
    async answer() {
      // Whoever has taken the port meanwhile keeps it; the thread will tell when it is started again.
      server ??= await open(port).catch(() => undefined);
    },
  };
}
