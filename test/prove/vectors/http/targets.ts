import { get, type OddRequest, PATH, target } from './odd-request.ts';

const LONG = 'x'.repeat(20_000);

/** Forms of the target, and characters in it. */
export const TARGETS: OddRequest[] = [
  target('the absolute form', `http://{host}${PATH}?{id}`),
  target('the absolute form with another host', `http://example.org${PATH}?{id}`),
  target('the absolute form with https', `https://{host}${PATH}?{id}`),
  target('the absolute form with another scheme', `ftp://{host}${PATH}?{id}`),
  target('the absolute form with a name and a password', `http://a:b@{host}${PATH}?{id}`),
  target('the authority form with GET', '{host}'),
  target('the asterisk form with GET', '*'),
  target('the asterisk form with OPTIONS', '*', 'OPTIONS'),
  target('a target without its slash', `${PATH.slice(1)}?{id}`),
  target('a fragment', `${PATH}#x?{id}`),
  target('a question mark alone', `${PATH}?`),
  target('a slash at the end', `${PATH}/?{id}`),
  target('two slashes at the start', `/${PATH}?{id}`),
  target('two slashes within', '/api//anime/schedule?{id}'),
  target('an encoded slash', '/api%2Fanime/schedule?{id}'),
  target('an encoded letter', '/api/anime/%73chedule?{id}'),
  target('a dot segment', '/api/./anime/schedule?{id}'),
  target('two dots', '/x/../api/anime/schedule?{id}'),
  target('encoded dots', '/x/%2e%2e/api/anime/schedule?{id}'),
  target('dots above the root', `/..${PATH}?{id}`),
  target('a backslash', '/api\\anime\\schedule?{id}'),
  target('parameters of a segment', '/api/anime;x=1/schedule?{id}'),
  target('capitals', `${PATH.toUpperCase()}?{id}`),
  target('NUL', '/api/anime\0/schedule?{id}'),
  target('an encoded NUL', '/api/anime/schedule%00?{id}'),
  target('an encoded line end', '/api/anime/schedule%0d%0aX-A:1?{id}'),
  target('a letter outside of ASCII', '/api/anime/caf\xe9?{id}'),
  target('invalid UTF-8, encoded', '/api/anime/%c0%af?{id}'),
  target('an invalid escape', '/api/anime/%zz?{id}'),
  target('a control character', '/api/anime/\x01?{id}'),
  target('a space', '/api/anime/a b?{id}'),
  target('characters that need an escape', '/api/anime/<">{}|^`?{id}'),
  target('20 KB', `/${LONG}?{id}`),
];

/** Methods that only proxies or servers know, and expectations. */
export const METHODS: OddRequest[] = [
  target('HEAD', `${PATH}?{id}`, 'HEAD'),
  target('OPTIONS', `${PATH}?{id}`, 'OPTIONS'),
  target('TRACE', `${PATH}?{id}`, 'TRACE'),
  target('PUT', `${PATH}?{id}`, 'PUT'),
  target('CONNECT', 'example.org:443', 'CONNECT'),
  get('Expect: 100-continue without a body', 'Expect: 100-continue\r\n'),
  get('another expectation', 'Expect: teh\r\n'),
  get(
    'Upgrade: websocket',
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGF5YW5nIHRheWFuZyB0YQ==\r\n',
  ),
  get('Upgrade: h2c', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'),
  get('Upgrade that Connection does not name', 'Upgrade: websocket\r\n'),
  get('Connection names Host', 'Connection: keep-alive, Host\r\n'),
  get('Max-Forwards: 0', 'Max-Forwards: 0\r\n'),
];
