/** Enough for about a hundred pages of long texts. */
const MAX_BYTES = 8 * 1024 ** 2;

/** Keeps the rendered pages that were used last, by the id of their file, up to `maxBytes` in all. */
export function createPageCache(maxBytes = MAX_BYTES) {
  /** Ordered by their last use. */
  const pages = new Map<string, Buffer>();
  let bytes = 0;

  function remove(id: string): void {
    bytes -= pages.get(id)?.length ?? 0;
    pages.delete(id);
  }

  function add(id: string, page: Buffer): Buffer {
    remove(id);
    pages.set(id, page);
    bytes += page.length;
    for (const [oldest] of pages) {
      if (bytes <= maxBytes) break;
      remove(oldest);
    }
    return page;
  }

  return {
    get(id: string): Buffer | undefined {
      const page = pages.get(id);
      return page && add(id, page);
    },
    add,
    remove,
    get bytes() {
      return bytes;
    },
  };
}
