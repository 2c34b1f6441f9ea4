import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import { createDelimiterFilter, type DelimiterFilter } from './delimiter-filter.ts';

export interface Feed {
  /** Writes the body of a request to a parser, as multer asks for it. */
  start(request: IncomingMessage, parser: Writable): void;
  /** Rejects as soon as the body cannot be a proper one. */
  failed: Promise<never>;
  /** Destroys the parser, and with it every stream that it has opened. The rest of the body is read over. */
  stop(): void;
}

/** Feeds a multipart parser with what a delimiter filter lets through, as fast as the parser takes it. */
export function createFeed(boundary = ''): Feed {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => {});
  let stop = () => {};

  function fail(error: unknown): void {
    reject(error);
    stop();
  }

  return {
    failed,
    stop: () => stop(),
    start(request, parser) {
      const filter = createDelimiterFilter(boundary);
      stop = () => void parser.destroy();
      const resume = () => void request.resume();

      request.on('data', (chunk: Buffer) => {
        if (parser.destroyed) return;
        // Multer reads a body over after an error, paused or not: nothing may gather in the parser.
        if (parser.writableNeedDrain) stop();
        else attempt(() => write(parser, filter, chunk));
        if (parser.writableNeedDrain && !parser.destroyed) {
          request.pause();
          parser.once('drain', resume);
        }
      });
      request.once('end', () => {
        if (!parser.destroyed) attempt(() => parser.end(filter.end()));
      });
    },
  };

  function attempt(step: () => void): void {
    try {
      step();
    } catch (error) {
      fail(error);
    }
  }
}

function write(parser: Writable, filter: DelimiterFilter, chunk: Buffer): void {
  for (const piece of filter.push(chunk)) parser.write(piece);
}
