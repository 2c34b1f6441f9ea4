import { isIP } from 'node:net';

/** Where a ClamAV daemon listens, as `net.connect` takes it. */
export type ClamdAddress = { host: string; port: number } | { path: string };

const HOST_NAME = /^[a-z0-9](?:[a-z0-9.-]{0,252})$/iu;
/** The longest path of a Unix socket that Linux accepts. */
const MAX_PATH_BYTES = 107;

/** `clamd://HOST:PORT`, or `clamd:/PATH` for a Unix socket. Throws an Error that says what the URL must be. */
export function parseClamdUrl(text: string): ClamdAddress {
  const [, host = '', bracketed, port] =
    /^clamd:\/\/(\[([^\]]*)\]|[^:/?#@[\]]*):(\d{1,5})\/?$/u.exec(text) ?? [];
  if (port !== undefined) return parseTcp(bracketed ?? host, Number(port), bracketed !== undefined);
  const [, path] = /^clamd:(\/[^/].*)$/u.exec(text) ?? [];
  if (path !== undefined && Buffer.byteLength(path) <= MAX_PATH_BYTES && !path.includes('\0'))
    return { path };
  throw new Error('must be like clamd://127.0.0.1:3310, or clamd:/run/clamav/clamd.ctl for a Unix socket');
}

function parseTcp(host: string, port: number, isBracketed: boolean): ClamdAddress {
  const isHost = isBracketed ? isIP(host) === 6 : HOST_NAME.test(host);
  if (isHost && port > 0 && port <= 65_535) return { host, port };
  throw new Error('must name a host and a port from 1 to 65535, like clamd://127.0.0.1:3310');
}
