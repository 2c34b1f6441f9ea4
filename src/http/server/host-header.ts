import type { IncomingMessage } from 'node:http';

/** A host and perhaps a port; RFC 3986 lets the host be empty. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/iu;

/** Whether a request has the one valid Host that RFC 9112, section 3.2, requires; HTTP/1.0 may go without. */
export function hasValidHost({ rawHeaders, headers: { host }, httpVersion }: IncomingMessage): boolean {
  if (host === undefined) return httpVersion === '1.0';
  // Names and values take turns. `headers` has only the first of several Host headers.
  const isHost = (text: string, index: number) =>
    index % 2 === 0 && text.length === 4 && /^host$/iu.test(text);
  return rawHeaders.filter(isHost).length === 1 && HOST.test(host);
}
