import { connect } from 'node:net';

/**
 * Opens streams of Server-Sent Events, and says `open` once each has begun. Then it replies to each message with when the
 * first and the last stream got something since the message before (ms since 1970), and how many did.
 */
const { url, count } = JSON.parse(process.argv[2] ?? '{}');
const { hostname, port, pathname, host } = new URL(url);
/** Not all at once: the queue of a listening socket is short. */
const BATCH = 100;

let told = new Set<number>();
let first = 0;
let last = 0;

function note(index: number): void {
  last = Date.now();
  if (told.size === 0) first = last;
  told.add(index);
}

function open(index: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect(Number(port), hostname).on('error', reject);
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  socket.on('data', (bytes) => {
    resolve();
    // The first bytes are of no event, and a heartbeat is a comment.
    if (begun.has(index) && bytes.includes('event: ')) note(index);
    begun.add(index);
  });
  return promise;
}

const begun = new Set<number>();
for (let from = 0; from < count; from += BATCH)
  await Promise.all(Array.from({ length: Math.min(BATCH, count - from) }, (_, index) => open(from + index)));

process.on('message', () => {
  process.send?.({ first, last, count: told.size });
  told = new Set();
});
process.once('disconnect', () => process.exit());
process.send?.('open');
