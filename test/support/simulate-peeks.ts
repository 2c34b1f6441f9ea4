import { foreseeByBroadcasts } from '../../src/belief/expectations/foresee-by-broadcasts.ts';
import { createRefreshTimer } from '../../src/crawler/timing/cron.ts';
import { createRefreshTimes } from '../../src/crawler/timing/refresh-times.ts';
import type { Calendar } from '../../src/domain/broadcast.ts';
import type { EpisodeHistory } from '../../src/domain/episode-history.ts';
import type { OngoingAnime } from '../../src/domain/listing.ts';
import { shortDate } from '../../src/domain/source-date.ts';
import { DAY_MS } from '../../src/domain/units.ts';
import { createRandom } from './create-random.ts';
import { ledgerOf } from './ledger.ts';
import type { Release } from './releases.ts';

/** The schedule, six pages, and page 1 again. */
const CRAWL_REQUESTS = 8;
/** The pages of anime without a new episode, each read once a week. */
const WEEKLY_READS_A_DAY = 75 / 7;
/** The share of pages that still show the time before, and are read once more. */
const STALE = 0.1;

export interface Strategy {
  cron: string;
  peekMs: number | null;
  /** What the service knows of the releases that it has seen; nothing by default. */
  learn?: (seen: readonly Release[]) => EpisodeHistory;
  /** Whether it learns that from the pages of anime, which it reads. */
  readsPages?: boolean;
  /** The calendar of broadcasts at a moment. Its anime are in the schedule from the start. */
  calendarAt?: ((now: number) => Calendar) | undefined;
}

/** How late the releases between two moments are seen, ms each, and the requests a day meanwhile. */
export function simulatePeeks(
  releases: readonly Release[],
  { cron, peekMs, learn = () => ({}), readsPages = false, calendarAt }: Strategy,
  [from, to]: readonly [number, number],
): { lateness: number[]; requests: number } {
  const random = createRandom(2);
  // What came more than a day before has been seen.
  let now = Math.max(from - DAY_MS, Math.min(from, releases[0]?.at ?? from));
  const timer = createRefreshTimer(cron, 'UTC', 0.5, now);
  const foresee = calendarAt && ((...of: Believed) => foreseeByBroadcasts(calendarAt(now), ...of));
  const times = createRefreshTimes(timer, peekMs, () => now, random, foresee);
  const slugs = new Set(calendarAt ? releases.map(({ slug }) => slug) : []);
  const animeList = [...slugs].map((slug) => ({ slug, title: slug }));
  const schedule = [{ day: 'Random' as const, animeList }];
  const listed = new Map<string, OngoingAnime>();
  const lateness: number[] = [];
  let ledger = {};
  let requests = readsPages ? ((to - from) / DAY_MS) * WEEKLY_READS_A_DAY : 0;
  let seen = 0;
  while (now < to) {
    const crawlAt = timer.fireTimeAfter(now);
    const ongoing = [...listed.values()].reverse();
    const peekAt = times.nextPeek({ ongoing, ongoingChangedAt: now, schedule, ledger }) ?? Infinity;
    now = Math.min(crawlAt, peekAt);
    if (now >= from) requests += crawlAt <= peekAt ? CRAWL_REQUESTS : 1;
    const before = seen;
    for (; (releases[seen]?.at ?? Infinity) <= now; seen += 1) {
      const { slug, at, episode } = releases[seen]!;
      listed.delete(slug);
      listed.set(slug, { slug, episode, date: shortDate(at), title: slug, day: 'None', image: '' });
      if (at < from) continue;
      lateness.push(now - at);
      if (readsPages) requests += random() < STALE ? 2 : 1;
    }
    if (seen > before) ledger = ledgerOf(learn(releases.slice(0, seen)));
  }
  return { lateness, requests: requests / ((to - from) / DAY_MS) };
}

type Believed = Parameters<NonNullable<Parameters<typeof createRefreshTimes>[4]>>;
