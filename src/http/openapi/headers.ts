/** A response header as the document describes it, once, under its name. */
export interface Header {
  description: string;
  schema: object;
}

const text = (description: string, example?: string): Header => ({
  description,
  schema: { type: 'string', ...(example === undefined ? {} : { examples: [example] }) },
});

/** Every response header, without those that HTTP itself needs, such as Date and Connection. */
export const HEADERS: Record<string, Header> = {
  'Access-Control-Allow-Origin': text('Pages of any origin may read the answer.', '*'),
  'Access-Control-Expose-Headers': text('The headers that such a page may read.', 'ETag, Cache-Status'),
  'Cache-Control': text('How long a copy may be kept, and whether it may be used while it is stale.'),
  'Cache-Status': text(
    'How fresh the listing is (RFC 9211): ttl in seconds until the next refresh, negative when it is overdue; detail is the state of the source site: ok, blocked, moved, changed or down.',
    'tayang; hit; ttl=1742; detail=ok',
  ),
  'Content-Disposition': text(
    'Whether a browser shows or saves the file, and the name that it was sent with.',
  ),
  'Content-Language': text('The language of the page.', 'id'),
  'Content-Range': text(
    'Which bytes of the file the answer holds, and how many there are.',
    'bytes 0-99/1024',
  ),
  'Content-Security-Policy': text('What the page may load and do.'),
  'Cross-Origin-Resource-Policy': text('Pages of any origin may embed the file.', 'cross-origin'),
  'Accept-Ranges': text('Parts of the file can be requested.', 'bytes'),
  ETag: text(
    'A strong tag of exactly these bytes; send it as If-None-Match to receive 304 while nothing has changed.',
  ),
  'Last-Modified': text('When the content last changed.', 'Fri, 20 Nov 2026 12:15:04 GMT'),
  RateLimit: text(
    'How many uploads remain of the tightest limit (r), and the seconds until all of it is available again (t).',
    '"upload";r=39;t=60',
  ),
  'RateLimit-Policy': text(
    'The number of uploads that an address may make (q) in a window of seconds (w).',
    '"upload";q=40;w=60',
  ),
  'Referrer-Policy': text('Links on the page do not disclose its address.', 'no-referrer'),
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    schema: { type: 'integer', minimum: 0, examples: [12] },
  },
  Location: text(
    'The address of the upload. Keep it secret: with it, the upload can be continued and removed.',
  ),
  'Tus-Resumable': text('The version of the protocol.', '1.0.0'),
  'Tus-Version': text('The supported versions of the protocol.', '1.0.0'),
  'Upload-Expires': text('When the upload expires unless it is complete.', 'Fri, 20 Nov 2026 18:15:04 GMT'),
  'Upload-Length': { description: 'The size of the whole file in bytes.', schema: { type: 'integer' } },
  'Upload-Metadata': text('Upload-Metadata as it was sent.'),
  'Upload-Offset': { description: 'The number of bytes that are stored.', schema: { type: 'integer' } },
  'X-Accel-Buffering': text('Tells a reverse proxy not to buffer the stream.', 'no'),
  'X-Content-Type-Options': text('Browsers must not guess another media type.', 'nosniff'),
  'X-Robots-Tag': text('Search engines must not list the file.', 'noindex'),
  'X-Request-Id': text(
    'The id of this request in the log of the service; quote it when you report a problem.',
  ),
  'X-Delete-Url': {
    description: 'A secret address: DELETE removes the file, GET is a page with a button that does.',
    schema: { type: 'string', format: 'uri' },
  },
};

export type HeaderRefs = Record<string, { $ref: string }>;

/** References to the headers of these names. Throws for a name that is not described. */
export function headers(names: readonly string[]): HeaderRefs {
  return Object.fromEntries(
    names.map((name) => {
      if (!HEADERS[name]) throw new Error(`the header ${name} is not described`);
      return [name, { $ref: `#/components/headers/${name}` }];
    }),
  );
}
