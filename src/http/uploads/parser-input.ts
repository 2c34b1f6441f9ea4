import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import { createDelimiterFilter } from './delimiter-filter.ts';

/** 1 to 70 characters of RFC 2046. In quotes, all but the last may be spaces. */
const BOUNDARY =
  /;\s*boundary=\s*(?:"(?<quoted>[0-9a-z'()+_,\-./:=? ]{0,69}[0-9a-z'()+_,\-./:=?])"|(?<plain>[0-9a-z'()+_,\-./:=?]{1,70}))\s*(?:;|$)/iu;

/** Parses the boundary of a Content-Type; undefined when there is none, an invalid one, or several. */
export function parseBoundary(contentType: string): string | undefined {
  const names = contentType.match(/boundary\s*=/giu) ?? [];
  const { quoted, plain } = BOUNDARY.exec(contentType)?.groups ?? {};
  return names.length === 1 ? (quoted ?? plain) : undefined;
}

/**
 * Passes a body through a delimiter filter to a multipart parser, as fast as the parser reads it. Calls `fail` as soon as
 * the body is known to be invalid.
 */
export function createParserInput(boundary: string, fail: (error: unknown) => void) {
  let stop = () => {};

  function attempt(step: () => void): void {
    try {
      step();
    } catch (error) {
      fail(error);
      stop();
    }
  }

  return {
    /** Destroys the parser with all streams that it has opened. The rest of the body is read and dropped. */
    stop: () => stop(),
    /** Writes the body of a request to a parser; the `streamHandler` of multer. */
    start(request: IncomingMessage, parser: Writable): void {
      const filter = createDelimiterFilter(boundary);
      stop = () => void parser.destroy();
      const resume = () => void request.resume();

      function write(chunk: Buffer): void {
        for (const part of filter.push(chunk)) parser.write(part);
      }

      request.on('data', (chunk: Buffer) => {
        if (parser.destroyed) return;
        // After an error multer reads the rest of the body although it is paused, which must not pile up in the parser.
        if (parser.writableNeedDrain) stop();
        else attempt(() => write(chunk));
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
}
