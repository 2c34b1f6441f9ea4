import { createHash } from 'node:crypto';

interface RenderedPage {
  bytes: Buffer;
  etag: string;
}

/** Returns a function that renders a page once, and keeps it by its key until newer pages need its place in `maxBytes`. */
export function createPageCache(maxBytes: number) {
  const pages = new Map<string, RenderedPage>();
  let keptBytes = 0;

  function keep(key: string, page: RenderedPage): void {
    if (pages.has(key)) return;
    pages.set(key, page);
    keptBytes += page.bytes.length;
    for (const [oldest, { bytes }] of pages) {
      if (keptBytes <= maxBytes) return;
      pages.delete(oldest);
      keptBytes -= bytes.length;
    }
  }

  return async (key: string, render: () => Promise<string>): Promise<RenderedPage> => {
    const known = pages.get(key);
    if (known) return known;
    const bytes = Buffer.from(await render());
    const page = { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
    keep(key, page);
    return page;
  };
}
