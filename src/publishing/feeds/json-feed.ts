import type { Entry } from './entry.ts';

/** https://jsonfeed.org/version/1.1 */
export function renderJsonFeed(entries: readonly Entry[], url: string): string {
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: 'Tayang: episode baru',
    home_page_url: `${url}/`,
    feed_url: `${url}/feeds/episodes.json`,
    language: 'id',
    authors: [{ name: 'Tayang' }],
    items: entries.map(({ id, title, text, link, at, image }) => ({
      id,
      url: link,
      title,
      content_text: text,
      date_published: new Date(at).toISOString(),
      image,
    })),
  });
}
