import { expect, test } from 'vitest';
import { FRIDAY, HOUR, openSite } from '../support/edited-site.ts';

test('/readyz and /status say since when the source has stood still, and how old the list is', async () => {
  const { anime, changed, refresh, get, ask, show } = await openSite({
    count: 20,
    environment: { REFRESH_DETAILS: 'off' },
  });
  changed.age = () => Date.now() - FRIDAY;

  /** Crawls after some time; resolves with what the service says then. */
  async function crawl(afterMs: number) {
    await refresh(afterMs);
    const { readAt, unchangedSince } = (await get('/readyz')).source;
    const page = await (await ask('/status?lang=en')).text();
    const isStill = page.includes('Nothing new there since');
    const hoursAgo = (text: string | null) => text && (Date.now() - Date.parse(text)) / HOUR;
    return { readAt: hoursAgo(readAt), unchanged: hoursAgo(unchangedSince), isStill };
  }

  expect(await crawl(2.5 * HOUR)).toEqual({ readAt: 2.5, unchanged: null, isStill: false });
  expect(await crawl(HOUR)).toEqual({ readAt: 3.5, unchanged: 3.5, isStill: true });
  changed.age = () => null;
  expect(await crawl(HOUR)).toEqual({ readAt: 0, unchanged: null, isStill: false });
  expect(await crawl(2 * HOUR)).toEqual({ readAt: 6.5, unchanged: 6.5, isStill: true });
  const { slug, episode } = anime[9]!;
  show(slug, { episode: episode + 1 });
  expect(await crawl(HOUR)).toEqual({ readAt: 0, unchanged: null, isStill: false });
});
