import { copyUnpooled } from './unpooled-copy.ts';

const MAX_BYTES = 8 * 1024 ** 2;

/**
 * Returns a function that makes bytes, or returns them as they were made under the same key, which has to contain everything
 * that may change. What was used last is kept, up to `maxBytes` in all.
 */
export function createByteCache(maxBytes = MAX_BYTES) {
  /** In the order of their last use. */
  const kept = new Map<string, Buffer>();
  let bytes = 0;

  function drop(key: string): void {
    bytes -= kept.get(key)?.length ?? 0;
    kept.delete(key);
  }

  function put(key: string, made: Buffer): Buffer {
    drop(key);
    kept.set(key, made);
    bytes += made.length;
    for (const [oldest] of kept) {
      if (bytes <= maxBytes) break;
      drop(oldest);
    }
    return made;
  }

  return async (key: string, make: () => Promise<Buffer>): Promise<Buffer> =>
    put(key, kept.get(key) ?? copyUnpooled(await make()));
}
