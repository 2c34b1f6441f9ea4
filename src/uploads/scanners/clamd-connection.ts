import { connect, type Socket } from 'node:net';

/** Where a ClamAV daemon listens, as `net.connect` takes it. */
export type ClamdAddress = { host: string; port: number } | { path: string };

/** The longest path of a Unix socket that Linux accepts. */
const MAX_PATH_BYTES = 107;
/** The maximum length of a reply, which is one line. */
const MAX_REPLY_BYTES = 4 * 1024;

/**
 * Connects to a ClamAV daemon for one command, and sends it. Everything rejects once the connection has failed or nothing has
 * moved on it for `timeoutMs`. `signal` ends the connection, and so does its disposal, which has to follow.
 */
export function connectClamd(
  address: ClamdAddress,
  command: 'INSTREAM' | 'PING',
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
) {
  const socket = connect(signal ? { ...address, signal } : address);
  socket.setTimeout(timeoutMs, () =>
    socket.destroy(new Error(`clamd did not answer within ${timeoutMs / 1_000} s`)),
  );
  const reply = readReply(socket);
  reply.catch(() => {});
  socket.write(`z${command}\0`);

  /** Resolves when the kernel has the bytes, whose memory may be reused then, or when the daemon has replied. */
  async function send(chunk: Buffer): Promise<void> {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(chunk.length);
    const sent = Promise.withResolvers<void>();
    // Both at once: the daemon may close the connection after the end of a file.
    socket.cork();
    socket.write(length);
    socket.write(chunk, (error) => (error ? sent.reject(error) : sent.resolve()));
    socket.uncork();
    await Promise.race([reply, sent.promise]);
  }

  return {
    /** Sends bytes of a file, for `INSTREAM`. An empty chunk would be the end of the file. */
    async write(chunk: Buffer): Promise<void> {
      if (chunk.length > 0) await send(chunk);
    },
    /** Ends the file. Resolves with the reply, which may have come before. */
    async end(): Promise<string> {
      await send(Buffer.alloc(0));
      return reply;
    },
    reply,
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

/** Resolves with the first reply, without the NUL that ends it. Rejects when the connection fails before that. */
function readReply(socket: Socket): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let reply = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    reply += text;
    const end = reply.indexOf('\0');
    if (end >= 0) resolve(reply.slice(0, end).trim());
    else if (reply.length > MAX_REPLY_BYTES) socket.destroy(new Error('clamd sent a reply that is too long'));
  });
  socket.on('error', reject);
  socket.once('close', () => reject(new Error('clamd closed the connection')));
  return promise;
}

/** `clamd://HOST:PORT`, or `clamd:/PATH` for a Unix socket. Throws an Error that says what the URL must be. */
export function parseClamdUrl(text: string): ClamdAddress {
  const { href = '', hostname = '', port = '', pathname = '' } = URL.parse(text) ?? {};
  if (hostname !== '' && Number(port) > 0 && /^clamd:\/\/[^/?#@]+\/?$/u.test(href))
    return { host: hostname.replace(/^\[(.+)\]$/u, '$1'), port: Number(port) };
  if (/^clamd:\/[^/?#][^?#]*$/u.test(href)) {
    const path = decodeURIComponent(pathname);
    if (Buffer.byteLength(path) <= MAX_PATH_BYTES) return { path };
  }
  throw new Error('must be like clamd://127.0.0.1:3310, or clamd:/run/clamav/clamd.ctl for a Unix socket');
}
