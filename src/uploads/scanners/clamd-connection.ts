import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Where a ClamAV daemon listens, as `net.connect` takes it. */
export type ClamdAddress = { host: string; port: number } | { path: string };

/** The longest path of a Unix socket that Linux accepts. */
const MAX_PATH_BYTES = 107;
const CONNECT_TIMEOUT_MS = 5_000;
/** How long the daemon may take to read what has been sent, and then to reply. */
const ANSWER_TIMEOUT_MS = 30_000;
/** The maximum length of a reply, which is one line. */
const MAX_REPLY_BYTES = 4 * 1024;

/** The end of a file: the length of an empty chunk. */
export const END = Buffer.alloc(4);

export type ClamdConnection = Awaited<ReturnType<typeof connectClamd>>;

/**
 * Connects to a ClamAV daemon for one command, and sends it. Rejects when that takes too long. `signal` ends the
 * connection.
 */
export async function connectClamd(
  address: ClamdAddress,
  command: 'INSTREAM' | 'PING',
  signal?: AbortSignal,
) {
  const socket = connect(signal ? { ...address, signal } : address);
  const replied = readReply(socket);
  replied.catch(() => {});

  /** Waits for `work`, or for the reply. Rejects when the connection fails or the time is over. */
  async function wait(timeoutMs: number, what: string, work: Promise<unknown> = replied): Promise<void> {
    const timeout = Promise.withResolvers<never>();
    const message = `clamd did not ${what} within ${timeoutMs / 1_000} s`;
    const timer = setTimeout(() => timeout.reject(new Error(message)), timeoutMs);
    try {
      await Promise.race([replied, work, timeout.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async function drain(): Promise<void> {
    const drained = socket.writableNeedDrain ? once(socket, 'drain') : Promise.resolve();
    drained.catch(() => {});
    await wait(ANSWER_TIMEOUT_MS, 'read the file', drained);
  }

  async function reply(): Promise<string> {
    await wait(ANSWER_TIMEOUT_MS, 'reply');
    return replied;
  }

  try {
    const connected = once(socket, 'connect');
    connected.catch(() => {});
    await wait(CONNECT_TIMEOUT_MS, 'accept a connection', connected);
    socket.write(`z${command}\0`);
  } catch (error) {
    socket.destroy();
    throw error;
  }

  return {
    /** Sends bytes of a file, for `INSTREAM`. Resolves when the daemon has read enough for more to be sent, or has replied. */
    async write(chunk: Buffer): Promise<void> {
      // An empty chunk would be the end of the file.
      if (chunk.length === 0) return;
      const length = Buffer.alloc(4);
      length.writeUInt32BE(chunk.length);
      socket.cork();
      socket.write(length);
      socket.write(chunk);
      socket.uncork();
      await drain();
    },
    /** Ends the file. Resolves with the reply, which may have come before. */
    async end(): Promise<string> {
      socket.write(END);
      await drain();
      return reply();
    },
    reply,
    close: () => void socket.destroy(),
  };
}

/** Resolves with the first reply, without the NUL that ends it. Rejects when the connection fails before that. */
function readReply(socket: Socket): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let reply = '';
  let failure = new Error('clamd closed the connection');
  socket.setEncoding('utf8').on('data', (text: string) => {
    reply += text;
    const end = reply.indexOf('\0');
    if (end >= 0) resolve(reply.slice(0, end).trim());
    else if (reply.length > MAX_REPLY_BYTES) socket.destroy(new Error('clamd sent a reply that is too long'));
  });
  socket.on('error', (error) => {
    failure = error;
  });
  socket.once('close', () => reject(failure));
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
