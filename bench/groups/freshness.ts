import { createRefreshTimer } from '../../src/crawler/timing/cron.ts';
import { createRefreshTimes } from '../../src/crawler/timing/refresh-times.ts';
import type { Ledger } from '../../src/domain/ledger.ts';
import { MONTHS, type OngoingAnime } from '../../src/domain/listing.ts';
import { localDay } from '../../src/domain/local-day.ts';
import { MINUTE_MS, WEEK_MS } from '../../src/domain/units.ts';
import { createRandom } from '../../test/support/create-random.ts';
import { foresee } from '../../test/support/foresee.ts';
import { ledgerOf } from '../../test/support/ledger.ts';
import { inventReleases, type Release } from '../../test/support/releases.ts';
import { median } from '../support/measure.ts';
import { historyOf, type Knowledge, readReleases } from '../support/releases.ts';
import type { Row } from '../support/table.ts';

const WEEKS = 9;
const SEEDS = [1, 2, 3, 4, 5];
/** The schedule, six pages, and page 1 again. */
const CRAWL_REQUESTS = 8;

/** The pages of anime without a new episode, each read once a week. */
const WEEKLY_READS_A_DAY = 75 / 7;
/** The share of pages that still show the time before, and are read once more. */
const STALE = 0.1;

interface Strategy {
  cron: string;
  peekMs: number | null;
  /** Whether expected times follow from what was seen, or from the pages of anime; they move peeks. */
  learns?: 'seen' | 'exact';
}

const STRATEGIES: Record<string, Strategy> = {
  'crawls every 15 minutes': { cron: '*/15 * * * *', peekMs: null },
  'peeks at even distances': { cron: '0 * * * *', peekMs: 180_000 },
  'peeks and what was seen': { cron: '0 * * * *', peekMs: 180_000, learns: 'seen' },
  'peeks and the pages of anime': { cron: '0 * * * *', peekMs: 180_000, learns: 'exact' },
};
const WANTED = [{ atMost: 60 }, { atMost: 200 }, { atMost: 650 }];

/**
 * How late an episode is seen in the last week of a list of releases, and the requests a day. The service learns from the
 * weeks before. FRESHNESS_TIMES names a file of releases; without it they are generated.
 */
export async function measureFreshness(): Promise<Row[]> {
  const file = process.env.FRESHNESS_TIMES;
  const runs = file ? [await readReleases(file)] : SEEDS.map((seed) => inventReleases(WEEKS, seed));
  return [
    ...measureStrategies(runs),
    ...measureExpectations(runs, 'exact'),
    ...measureExpectations(runs, 'first day'),
  ];
}

/** How well the last week is foreseen from the weeks before. */
function measureExpectations(runs: readonly (readonly Release[])[], knowledge: Knowledge): Row[] {
  const held = runs.map((releases) => {
    const from = (releases.at(-1)?.at ?? 0) - WEEK_MS;
    return foresee(releases, from, (before) => historyOf(before, knowledge));
  });
  const errors = held.map(({ errorsMs }) => median(errorsMs) / MINUTE_MS);
  const inWindow = held.map((one) => (100 * one.inWindow) / one.errorsMs.length);
  const foreseen = held.map((one) => (100 * one.errorsMs.length) / one.releases);
  const what = `expected times, ${knowledge === 'exact' ? 'after some weeks' : 'on the first day'}`;
  return [
    { what: `${what}: median error`, values: errors, unit: 'min', wanted: { atMost: 10 } },
    { what: `${what}: releases in their window`, values: inWindow, unit: '%', wanted: { atLeast: 80 } },
    { what: `${what}: episodes that were expected`, values: foreseen, unit: '%' },
  ];
}

function measureStrategies(runs: readonly (readonly Release[])[]): Row[] {
  return Object.entries(STRATEGIES).flatMap(([name, strategy]) => {
    const results = runs.map((releases) => simulate(releases, strategy));
    const wanted = strategy.learns === 'exact' ? WANTED : undefined;
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
  const timer = createRefreshTimer(cron, 'UTC', 0.5, now);
  const times = createRefreshTimes(timer, peekMs, () => now, random);
  const listed = new Map<string, OngoingAnime>();
  let ledger: Ledger = {};
  const lateness: number[] = [];
  let requests = learns === 'exact' ? 7 * WEEKLY_READS_A_DAY : 0;
  let seen = 0;
  while (now < end) {
    const crawlAt = timer.fireTimeAfter(now);
    const peekAt = times.nextPeek({ ongoing: [...listed.values()], ledger }) ?? Infinity;
    now = Math.min(crawlAt, peekAt);
    if (now >= measuredFrom) requests += crawlAt <= peekAt ? CRAWL_REQUESTS : 1;
    const before = seen;
    for (; (releases[seen]?.at ?? Infinity) <= now; seen += 1) {
      const { slug, at } = releases[seen]!;
      listed.set(slug, { slug, episode: seen, date: shortDate(at), title: slug, day: 'None', image: '' });
      if (at < measuredFrom) continue;
      lateness.push(now - at);
      if (learns === 'exact') requests += random() < STALE ? 2 : 1;
    }
    if (learns && seen > before) ledger = ledgerOf(historyOf(releases.slice(0, seen), learns));
  }
  return { lateness, requests: requests / 7 };
}

function shortDate(at: number): OngoingAnime['date'] {
  const [, month, day] = localDay('Asia/Jakarta', at).split('-').map(Number);
  return `${day!} ${MONTHS[month! - 1]!}`;
}
