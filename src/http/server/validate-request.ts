import type { IncomingMessage } from 'node:http';
import type { Refusal } from './refuse.ts';

/** A host and perhaps a port; RFC 3986 lets the host be empty. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/iu;

/** Returns a refusal for a request that Node's parser accepts although RFC 9112 does not; undefined for a valid request. */
export function validateRequest(request: IncomingMessage): Refusal | undefined {
  const { httpVersion, url = '' } = request;
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return { status: 505, message: 'this server supports HTTP/1.1 and HTTP/1.0; send HTTP/1.1' };
  if (!hasValidHost(request))
    return invalid('send exactly one Host header, with a host and optionally a port');
  if (countHeaders(request, 'content-type') > 1) return invalid('send Content-Type once');
  if (url.includes('#'))
    return invalid(
      'the address has a fragment, which is for the client alone; leave out "#" and what follows it',
    );
  const coding = request.headers['transfer-encoding'];
  if (coding === undefined) return undefined;
  // Servers that follow RFC 9112, 6.1, and older ones disagree about where such a request ends.
  if (httpVersion === '1.0')
    return invalid('Transfer-Encoding is not allowed in HTTP/1.0; send HTTP/1.1, or a Content-Length');
  if (/^chunked$/iu.test(coding)) return undefined;
  const message = 'the only supported Transfer-Encoding is chunked; send that, or a Content-Length';
  return { status: 501, message };
}

const invalid = (message: string): Refusal => ({ status: 400, message });

/** Whether a request has the one valid Host that RFC 9112, section 3.2, requires; HTTP/1.0 may go without. */
function hasValidHost(request: IncomingMessage): boolean {
  const { host } = request.headers;
  if (host === undefined) return request.httpVersion === '1.0';
  return countHeaders(request, 'host') === 1 && HOST.test(host);
}

/** Counts the headers of a name in lower case: of several such headers, `headers` has only the first. */
function countHeaders({ rawHeaders }: IncomingMessage, name: string): number {
  // Names and values take turns.
  const isNamed = (text: string, index: number) =>
    index % 2 === 0 && text.length === name.length && text.toLowerCase() === name;
  return rawHeaders.filter(isNamed).length;
}
