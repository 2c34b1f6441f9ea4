import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'minor' }) => void;

/** Half a millisecond's work, for what takes some seventy to receive. */
const EVERY_BYTES = 8 * 1024 ** 2;

/**
 * Bodies come in buffers outside the heap, which go only when the young generation is collected; V8 counts them, but
 * lets 64 MB gather. Told how many bytes have come, this collects in time. docs/decisions/0005 says why by hand.
 */
export function createBufferCollector(): (bytes: number) => void {
  let collect: Collect | undefined;
  let waiting = 0;
  return (bytes) => {
    waiting += bytes;
    if (waiting < EVERY_BYTES) return;
    waiting = 0;
    collect ??= findCollector();
    collect({ type: 'minor' });
  };
}

/** Node hands it to a context that is made while the flag is set. */
function findCollector(): Collect {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return collect;
}
