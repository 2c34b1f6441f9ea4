import { get, HOST, type OddRequest, PATH } from './odd-request.ts';

const line = (name: string, text: string) => get(name, '', { line: text });
const host = (name: string, lines: string) => get(name, '', { host: lines });
const raw = (name: string, bytes: string): OddRequest => ({ name, to: 'listing', bytes });
const plain = get('').bytes;
const LONG = 'x'.repeat(20_000);

/** Lines, their ends, and what is in a request line or a header. */
export const LINES: OddRequest[] = [
  get('GET'),
  raw('an empty line first', `\r\n${plain}`),
  raw('an empty line of LF first', `\n${plain}`),
  raw('LF for every line end', plain.replaceAll('\r\n', '\n')),
  raw('LF after the request line', plain.replace('\r\n', '\n')),
  get('LF after a header', 'X-A: 1\nX-B: 2\r\n'),
  get('CR within a header', 'X-A: 1\rX-B: 2\r\n'),
  raw('CR for every line end', plain.replaceAll('\r\n', '\r')),
  get('a folded header', 'X-A: 1\r\n 2\r\n'),
  get('a header that is folded with a tab', 'X-A: 1\r\n\t2\r\n'),
  get('a space before a colon', 'X-A : 1\r\n'),
  get('a tab before a colon', 'X-A\t: 1\r\n'),
  get('a space before the first header', '', { host: ` X-A: 1\r\n${HOST}` }),
  get('a header without a colon', 'tanpa titik dua\r\n'),
  get('a header without a name', ': nilai\r\n'),
  get('brackets in the name of a header', 'X[A]: 1\r\n'),
  get('a letter outside of ASCII in the name of a header', 'X-\xe9: 1\r\n'),
  get('a letter outside of ASCII in the value of a header', 'X-A: caf\xe9\r\n'),
  get('NUL in a header', 'X-A: 1\x002\r\n'),
  get('a control character in a header', 'X-A: 1\x012\r\n'),
  get('a header of 20 KB', `X-Long: ${LONG}\r\n`),
  get('a header with a name of 20 KB', `${LONG}: 1\r\n`),
  get('300 headers', Array.from({ length: 300 }, (_, at) => `X-${at}: 1\r\n`).join('')),
  line('two spaces before the target', `GET  ${PATH}?{id} HTTP/1.1`),
  line('two spaces before the version', `GET ${PATH}?{id}  HTTP/1.1`),
  line('a space after the version', `GET ${PATH}?{id} HTTP/1.1 `),
  line('tabs in the request line', `GET\t${PATH}?{id}\tHTTP/1.1`),
  line('a space before the method', ` GET ${PATH}?{id} HTTP/1.1`),
  line('no target', 'GET HTTP/1.1'),
  line('a method in lower case', `get ${PATH}?{id} HTTP/1.1`),
  line('an unknown method', `HALO ${PATH}?{id} HTTP/1.1`),
  line('a method of 20 KB', `${LONG} ${PATH}?{id} HTTP/1.1`),
  raw('bytes that are no request', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\r\n\r\n'),
  raw('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
];

/** Versions and Host headers. */
export const VERSIONS: OddRequest[] = [
  ...[
    'HTTP/1.2',
    'HTTP/2.0',
    'HTTP/3.1',
    'HTTP/1',
    'HTTP/01.1',
    'HTTP/1.10',
    'http/1.1',
    'HTTP /1.1',
    'HTCPCP/1.0',
  ].map((version) => line(`the version ${version}`, `GET ${PATH}?{id} ${version}`)),
  raw('HTTP/0.9', `GET ${PATH}?{id}\r\n`),
  line('HTTP/0.9 with headers', `GET ${PATH}?{id}`),
  get('HTTP/1.0', '', { line: `GET ${PATH}?{id} HTTP/1.0` }),
  host('no Host', ''),
  get('HTTP/1.0 without Host', '', { line: `GET ${PATH}?{id} HTTP/1.0`, host: '' }),
  host('two equal Hosts', 'Host: {host}\r\nHost: {host}\r\n'),
  host('two Hosts', 'Host: {host}\r\nHost: example.org\r\n'),
  ...['', '{host}/jalan', 'nama@{host}', '{host}, example.org', '{host}:80:80', 'a b', '{host}#x'].map(
    (value) => host(`the Host "${value.replace('{host}', 'HOST')}"`, `Host: ${value}\r\n`),
  ),
  host('a Host in capitals', 'HOST: {host}\r\n'),
];
