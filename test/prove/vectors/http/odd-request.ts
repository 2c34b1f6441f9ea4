import { filePart, MULTIPART, multipart } from '../../../support/upload-body.ts';

/** A request that servers read in different ways, or that few of them are sent. */
export interface OddRequest {
  name: string;
  to: 'listing' | 'uploads';
  /**
   * What is sent, in Latin-1. `{host}` stands for the host of the origin, `{id}` for a mark of this request, `{hidden}` for
   * another request within it, `{hidden+N}` for the length of that one plus N, and `{hidden hex}` for it in hexadecimal.
   */
  bytes: string;
}

export const HOST = 'Host: {host}\r\n';
export const PATH = '/api/anime/schedule';
export const HIDDEN = '{hidden}';

/** A body of POST /upload, and the same as a chunk. */
export const BODY = multipart(filePart()).toString('latin1');
export const CHUNK = `${BODY.length.toString(16)}\r\n${BODY}\r\n`;
export const LAST_CHUNK = '0\r\n\r\n';

/** GET of a document with more header lines, each with its line end. */
export function get(
  name: string,
  headers = '',
  { line = `GET ${PATH}?{id} HTTP/1.1`, host = HOST } = {},
): OddRequest {
  return { name, to: 'listing', bytes: `${line}\r\n${host}${headers}\r\n` };
}

/** A request for another target, or with another method. */
export function target(name: string, path: string, method = 'GET'): OddRequest {
  return get(name, '', { line: `${method} ${path} HTTP/1.1` });
}

/** An upload with these framing headers, each with its line end, and this body. */
export function post(name: string, framing: string, body = BODY, version = 'HTTP/1.1'): OddRequest {
  const type = `Content-Type: ${MULTIPART}\r\n`;
  return { name, to: 'uploads', bytes: `POST /upload ${version}\r\n${HOST}${type}${framing}\r\n${body}` };
}
