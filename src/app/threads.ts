import type { Report } from '../domain/report.ts';
import { type HttpServer, openServer } from '../http/server.ts';
import { answerUnavailable } from '../http/unavailable.ts';
import type { Config } from './config.ts';
import type { CrawlerData } from './crawler-thread.ts';
import type { CrawlerMessage } from './messages.ts';
import { type SupervisedThread, superviseThread } from './supervisor.ts';
import type { UploadsData } from './uploads-thread.ts';

/** Both threads have little that is alive; a young generation that is small keeps what bodies come in short-lived. */
const CRAWLER_LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 32 };
const UPLOADS_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };
const RETRY_AFTER_SECONDS = 1;

/** Starts the crawler in a thread of its own. */
export function superviseCrawler(
  data: CrawlerData,
  onMessage: (message: CrawlerMessage) => void,
  report: Report,
): SupervisedThread {
  return superviseThread({
    name: 'crawler',
    entry: new URL('./crawler-thread.ts', import.meta.url),
    data: () => data,
    limits: CRAWLER_LIMITS,
    onMessage,
    report,
  });
}

/** The port of the uploads, which this thread answers with 503 whenever the thread that has it is away. */
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

  async function leave(): Promise<void> {
    const open = server;
    server = undefined;
    await open?.close(0);
  }

  return {
    port,
    leave,
    async answer() {
      // Whoever has taken the port meanwhile keeps it; the thread will tell when it is started again.
      server ??= await open(port).catch(() => undefined);
    },
  };
}

/** Starts the uploads in a thread of their own, which binds the port that is held for it. */
export function superviseUploads(data: UploadsData, held: UploadsPort, report: Report): SupervisedThread {
  return superviseThread({
    name: 'uploads',
    entry: new URL('./uploads-thread.ts', import.meta.url),
    data: () => data,
    limits: UPLOADS_LIMITS,
    onPortWanted: held.leave,
    onDown: held.answer,
    report,
  });
}
