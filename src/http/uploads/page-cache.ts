import { copyUnpooled } from '../../domain/unpooled-copy.ts';

/** Enough for about a hundred pages of long texts. */
const MAX_BYTES = 8 * 1024 ** 2;

interface Entry {
  page: Buffer;
  /** The text of the page that changes with time. When it has changed, the page has to be rendered again. */
  asOf: string;
}

/** Keeps the rendered pages that were used last, one for each file and language, up to `maxBytes` in all. */
export function createPageCache(languages: readonly string[], maxBytes = MAX_BYTES) {
  /** By language and id, in the order of their last use. */
  const pages = new Map<string, Entry>();
  let bytes = 0;

  function drop(key: string): void {
    bytes -= pages.get(key)?.page.length ?? 0;
    pages.delete(key);
  }

  function put(key: string, entry: Entry): Buffer {
    drop(key);
    pages.set(key, entry);
    bytes += entry.page.length;
    for (const [oldest] of pages) {
      if (bytes <= maxBytes) break;
      drop(oldest);
    }
    return entry.page;
  }

  return {
    get(id: string, language: string, asOf: string): Buffer | undefined {
      const key = keyOf(id, language);
      const entry = pages.get(key);
      return entry?.asOf === asOf ? put(key, entry) : undefined;
    },
    add: (id: string, language: string, asOf: string, page: Buffer) =>
      put(keyOf(id, language), { page: copyUnpooled(page), asOf }),
    /** Removes the page in every language. */
    remove(id: string): void {
      for (const language of languages) drop(keyOf(id, language));
    },
    get bytes() {
      return bytes;
    },
  };
}

/** An id has no space. */
function keyOf(id: string, language: string): string {
  return `${language} ${id}`;
}
