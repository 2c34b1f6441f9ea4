import { recordEpisodes } from '../../src/crawler/episode-history.ts';
import { createRefreshTimer } from '../../src/crawler/timing/refresh-timer.ts';
import { createRefreshTimes } from '../../src/crawler/timing/refresh-times.ts';
import type { EpisodeHistory } from '../../src/domain/episode-history.ts';
import type { OngoingAnime } from '../../src/domain/listing.ts';
import { MINUTE_MS, WEEK_MS } from '../../src/domain/units.ts';
import { createRandom } from '../../test/support/create-random.ts';
import { foresee } from '../../test/support/foresee.ts';
import { inventReleases, type Release, readReleases } from '../../test/support/releases.ts';
import { median } from '../support/measure.ts';
import type { Row } from '../support/table.ts';

const WEEKS = 9;
const SEEDS = [1, 2, 3, 4, 5];
/** The schedule, six pages, and page 1 again. */
const CRAWL_REQUESTS = 8;

interface Strategy {
  cron: string;
  peekMs: number | null;
  learns: boolean;
}

const STRATEGIES: Record<string, Strategy> = {
  'crawls every 15 minutes': { cron: '*/15 * * * *', peekMs: null, learns: false },
  'peeks at even distances': { cron: '0 * * * *', peekMs: 180_000, learns: false },
  'peeks and expected times': { cron: '0 * * * *', peekMs: 180_000, learns: true },
};
const WANTED = [{ atMost: 90 }, { atMost: 240 }, { atMost: 700 }];

/**
 * How late an episode is seen in the last week of a list of releases, and the requests a day. The service learns from the
 * weeks before. FRESHNESS_TIMES names a file of releases; without it they are generated.
 */
export async function measureFreshness(): Promise<Row[]> {
  const file = process.env.FRESHNESS_TIMES;
  const runs = file ? [await readReleases(file)] : SEEDS.map((seed) => inventReleases(WEEKS, seed));
  return [...measureStrategies(runs), ...measureExpectations(runs)];
}

/** How well the last week is foreseen from the weeks before. */
function measureExpectations(runs: readonly (readonly Release[])[]): Row[] {
  const held = runs.map((releases) => foresee(releases, (releases.at(-1)?.at ?? 0) - WEEK_MS));
  const errors = held.map((one) => median(one.errorsMs) / MINUTE_MS);
  const foreseen = held.map((one) => (100 * one.errorsMs.length) / one.releases);
  return [
    { what: 'expected times: median error', values: errors, unit: 'min', wanted: { atMost: 15 } },
    { what: 'expected times: episodes that were expected', values: foreseen, unit: '%' },
  ];
}

function measureStrategies(runs: readonly (readonly Release[])[]): Row[] {
  return Object.entries(STRATEGIES).flatMap(([name, strategy]) => {
    const results = runs.map((releases) => simulate(releases, strategy));
    const wanted = strategy.learns ? WANTED : undefined;
    return [
      { what: `${name}: mean lateness`, values: results.map(({ lateness }) => meanOf(lateness)), unit: 's' },
      { what: `${name}: p95 lateness`, values: results.map(({ lateness }) => p95Of(lateness)), unit: 's' },
      { what: `${name}: requests a day`, values: results.map(({ requests }) => requests) },
    ].map((row, index) => ({ ...row, ...(wanted?.[index] && { wanted: wanted[index] }) }));
  });
}

const meanOf = (lateness: number[]) => lateness.reduce((sum, ms) => sum + ms, 0) / lateness.length / 1_000;
const p95Of = (lateness: number[]) =>
  (lateness.toSorted((a, b) => a - b)[Math.floor(lateness.length * 0.95)] ?? 0) / 1_000;

function simulate(releases: readonly Release[], { cron, peekMs, learns }: Strategy) {
  const random = createRandom(2);
  const end = releases.at(-1)?.at ?? 0;
  const measuredFrom = end - WEEK_MS;
  let now = releases[0]?.at ?? 0;
  const timer = createRefreshTimer({ expression: cron, timeZone: 'UTC', jitterShare: 0.5, now: () => now });
  const times = createRefreshTimes({ timer, peekMs, random, now: () => now });
  const ongoing = [...new Set(releases.map(({ slug }) => slug))].map((slug) => ({ slug }) as OngoingAnime);
  let episodeHistory: EpisodeHistory = {};
  const lateness: number[] = [];
  let requests = 0;
  let seen = 0;
  while (now < end) {
    const crawlAt = timer.nextFireTime();
    const peekAt = times.nextPeek({ ongoing, episodeHistory }) ?? Infinity;
    now = Math.min(crawlAt, peekAt);
    if (now >= measuredFrom) requests += crawlAt <= peekAt ? CRAWL_REQUESTS : 1;
    for (; (releases[seen]?.at ?? Infinity) <= now; seen += 1) {
      const { slug, at } = releases[seen]!;
      if (at >= measuredFrom) lateness.push(now - at);
      const change = { type: 'new-episode', slug, title: slug, episode: seen, day: 'None' } as const;
      if (learns) episodeHistory = recordEpisodes(episodeHistory, [change], now);
    }
  }
  return { lateness, requests: requests / 7 };
}
