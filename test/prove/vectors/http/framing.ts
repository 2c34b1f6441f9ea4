import { BODY, CHUNK, get, HIDDEN, LAST_CHUNK, type OddRequest, post } from './odd-request.ts';

const length = (value: string | number) => `Content-Length: ${value}\r\n`;
const WITHOUT = length(BODY.length);
/** Of the body and the request that is hidden after it. */
const WITH = length(`{hidden+${BODY.length}}`);
const hiding = (name: string, framing: string) => post(name, framing, `${BODY}${HIDDEN}`);

/** Content-Length that is there twice, or is no number. */
export const LENGTHS: OddRequest[] = [
  post('Content-Length', WITHOUT),
  hiding('a request after the form in the body', WITH),
  hiding('two Content-Lengths, the second one longer', `${WITHOUT}${WITH}`),
  hiding('two Content-Lengths, the first one longer', `${WITH}${WITHOUT}`),
  post('two equal Content-Lengths', `${WITHOUT}${WITHOUT}`),
  hiding('a list of two Content-Lengths', length(`${BODY.length}, {hidden+${BODY.length}}`)),
  post('a list of two equal Content-Lengths', length(`${BODY.length}, ${BODY.length}`)),
  ...[`+${BODY.length}`, '-1', '-0', '0x10', '1_0', '1 0', '', '1e2', '10.0', '9'.repeat(40)].map((value) =>
    hiding(`the Content-Length "${value}"`, length(value)),
  ),
  post('Content-Length with leading zeros', length(`000${BODY.length}`)),
  post('Content-Length with white space around it', `Content-Length: \t ${BODY.length} \t\r\n`),
  hiding('Content_Length, shorter, beside Content-Length', `Content_Length: ${BODY.length}\r\n${WITH}`),
  hiding('a space before the colon of Content-Length', WITH.replace(':', ' :')),
  hiding('Content-Length on a folded line', WITH.replace(': ', ':\r\n ')),
  post('Connection names Content-Length', `${WITHOUT}Connection: keep-alive, Content-Length\r\n`),
];

const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const chunked = (name: string, body: string) => post(name, CHUNKED, body);
const BOTH = `${CHUNK}${LAST_CHUNK}${HIDDEN}`;
/** Content-Length covers all of the body, while the chunks end before the hidden request. */
const ALL = length(`{hidden+${CHUNK.length + LAST_CHUNK.length}}`);
const shown = (coding: string) => JSON.stringify(coding).slice(1, -1);
const codedTwice = (coding: string) =>
  post(
    `Transfer-Encoding:${shown(coding)}, and Content-Length`,
    `Transfer-Encoding:${coding}\r\n${ALL}`,
    BOTH,
  );
const coded = (coding: string) =>
  post(`Transfer-Encoding:${shown(coding)}`, `Transfer-Encoding:${coding}\r\n`, `${CHUNK}${LAST_CHUNK}`);
const CODINGS_WITH_LENGTH = [
  ' chunked',
  ' xchunked',
  ' identity',
  ' chunked, identity',
  ' ,chunked',
  ' chunked;q=1',
];
const ODD_SPACES = [
  ' \x0bchunked',
  ' \x0cchunked',
  ' chunked\0',
  '\tchunked',
  ' chunked \t',
  '\r\n chunked',
  '',
];

/** Transfer-Encoding beside Content-Length, and in forms that not every server recognizes. */
export const CODINGS: OddRequest[] = [
  chunked('chunks', `${CHUNK}${LAST_CHUNK}`),
  post('Content-Length before Transfer-Encoding', `${ALL}${CHUNKED}`, BOTH),
  post('a short Content-Length after Transfer-Encoding', `${CHUNKED}${length(4)}`, BOTH),
  ...[...CODINGS_WITH_LENGTH, ...ODD_SPACES].map(codedTwice),
  ...[
    ' gzip, chunked',
    ' chunked, chunked',
    ' ,chunked',
    ' chunked,',
    ' Chunked',
    '\tchunked',
    ' chunked \t',
  ].map(coded),
  post('Transfer-Encoding twice', `${CHUNKED}${CHUNKED}${ALL}`, BOTH),
  post('Transfer-Encoding: chunked and identity', `${CHUNKED}Transfer-Encoding: identity\r\n${ALL}`, BOTH),
  post('a space before the colon of Transfer-Encoding', `${CHUNKED.replace(':', ' :')}${ALL}`, BOTH),
  post('Transfer_Encoding beside Content-Length', `${CHUNKED.replace('-', '_')}${ALL}`, BOTH),
  post('TRANSFER-ENCODING', CHUNKED.toUpperCase().replace('CHUNKED', 'chunked'), `${CHUNK}${LAST_CHUNK}`),
  post('chunks in HTTP/1.0', `${CHUNKED}Connection: keep-alive\r\n`, BOTH, 'HTTP/1.0'),
  post(
    'chunks and Content-Length in HTTP/1.0',
    `${CHUNKED}${ALL}Connection: keep-alive\r\n`,
    BOTH,
    'HTTP/1.0',
  ),
  post(
    'Connection names Transfer-Encoding',
    `${CHUNKED}Connection: keep-alive, Transfer-Encoding\r\n`,
    `${CHUNK}${LAST_CHUNK}`,
  ),
];

const HEX = BODY.length.toString(16);
const sized = (name: string, line: string) => chunked(name, `${line}${BODY}\r\n${LAST_CHUNK}`);
const SIZES = [
  `0x${HEX}`,
  `+${HEX}`,
  '-1',
  `${HEX}_`,
  ` ${HEX}`,
  `${HEX} `,
  '',
  'f'.repeat(18),
  `1${'0'.repeat(16)}${HEX}`,
];

/** Chunks that are not of the form of RFC 9112, 7.1, or rarely so. */
export const CHUNKS: OddRequest[] = [
  sized('a chunk extension', `${HEX};nama="nilai"\r\n`),
  sized('a chunk extension without a name', `${HEX};\r\n`),
  sized('a chunk extension with NUL', `${HEX};a\0b\r\n`),
  sized('a chunk extension with CR', `${HEX};a\rb\r\n`),
  sized('a chunk extension that ends with LF', `${HEX};a\n`),
  sized('a chunk extension of 20 KB', `${HEX};${'a'.repeat(20_000)}\r\n`),
  sized('a chunk size in capitals', `${HEX.toUpperCase()}\r\n`),
  sized('a chunk size with leading zeros', `000${HEX}\r\n`),
  ...SIZES.map((size) => sized(`the chunk size "${size}"`, `${size}\r\n`)),
  sized('a chunk size that ends with LF', `${HEX}\n`),
  sized('a chunk size that ends with CR', `${HEX}\r`),
  chunked('a chunk that ends with LF', `${HEX}\r\n${BODY}\n${LAST_CHUNK}`),
  chunked('a chunk without its line end', `${HEX}\r\n${BODY}${LAST_CHUNK}`),
  chunked('a chunk that is longer than its size', `${HEX}\r\n${BODY}!!\r\n${LAST_CHUNK}`),
  chunked('a last chunk that ends with LF', `${CHUNK}0\n\n${HIDDEN}`),
  chunked('a last chunk with a sign', `${CHUNK}+0\r\n\r\n${HIDDEN}`),
  chunked('trailers', `${CHUNK}0\r\nX-Checksum: 1\r\n\r\n`),
  chunked('trailers that end with LF', `${CHUNK}0\r\nX-Checksum: 1\n\n${HIDDEN}`),
  chunked('Content-Length in the trailers', `${CHUNK}0\r\nContent-Length: 9999\r\n\r\n`),
  chunked('Transfer-Encoding in the trailers', `${CHUNK}0\r\nTransfer-Encoding: chunked\r\n\r\n`),
  chunked('Host in the trailers', `${CHUNK}0\r\nHost: example.org\r\n\r\n`),
];

const UPGRADES: Record<string, string> = {
  'Expect: 100-continue': 'Expect: 100-continue\r\n',
  'Upgrade: websocket': 'Upgrade: websocket\r\nConnection: Upgrade\r\n',
  'Upgrade: h2c': 'HTTP2-Settings: AAMAAABk\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n',
};

function carrying(method: string, name = '', headers = length('{hidden+0}')): OddRequest {
  const request = get(`${method} whose body is a request${name && `, ${name}`}`, headers);
  return { ...request, bytes: `${request.bytes.replace('GET', method)}${HIDDEN}` };
}

/** Requests whose body is another request. */
export const BODIES: OddRequest[] = [
  ...['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'].map((method) =>
    carrying(method),
  ),
  ...Object.entries(UPGRADES).map(([name, headers]) =>
    carrying('GET', name, `${length('{hidden+0}')}${headers}`),
  ),
  carrying('POST', 'Expect: 100-continue', `${length('{hidden+0}')}Expect: 100-continue\r\n`),
  carrying('CONNECT'),
  {
    ...get('', CHUNKED),
    name: 'GET with a request in a chunk',
    bytes: `${get('', CHUNKED).bytes}{hidden hex}\r\n${HIDDEN}\r\n${LAST_CHUNK}`,
  },
  post('an upload of a request', length('{hidden+0}'), HIDDEN),
];
