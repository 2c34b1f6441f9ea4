import { copyUnpooled } from '../../domain/unpooled-copy.ts';

/** Enough for about a hundred pages of long texts. */
const MAX_BYTES = 8 * 1024 ** 2;

/**
 * Returns a function that renders a page, or returns it as it was rendered under the same key, which has to contain
 * everything that may change. The pages that were used last are kept, up to `maxBytes` in all.
 */
export function createPageCache(maxBytes = MAX_BYTES) {
  /** In the order of their last use. */
  const pages = new Map<string, Buffer>();
  let bytes = 0;

  function drop(key: string): void {
    bytes -= pages.get(key)?.length ?? 0;
    pages.delete(key);
  }

  function put(key: string, page: Buffer): Buffer {
    drop(key);
    pages.set(key, page);
    bytes += page.length;
    for (const [oldest] of pages) {
      if (bytes <= maxBytes) break;
      drop(oldest);
    }
    return page;
  }

  return async (key: string, render: () => Promise<string>): Promise<Buffer> =>
    put(key, pages.get(key) ?? copyUnpooled(Buffer.from(await render())));
}
