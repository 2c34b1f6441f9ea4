import { MINUTE_MS, WEEK_MS } from '../../src/domain/units.ts';
import { foresee, sightings } from '../../test/support/foresee.ts';
import { inventReleases, type Release } from '../../test/support/releases.ts';
import { type Strategy, simulatePeeks } from '../../test/support/simulate-peeks.ts';
import { median } from '../support/measure.ts';
import { historyOf, type Knowledge, readReleases } from '../support/releases.ts';
import type { Row } from '../support/table.ts';

const WEEKS = 9;
const SEEDS = [1, 2, 3, 4, 5];
const PAGES = { learn: (seen: readonly Release[]) => historyOf(seen, 'exact'), readsPages: true };
const STRATEGIES: Record<string, Strategy> = {
  'crawls every 15 minutes': { cron: '*/15 * * * *', peekMs: null },
  'peeks at even distances': { cron: '0 * * * *', peekMs: 180_000 },
  'peeks and what was seen': { cron: '0 * * * *', peekMs: 180_000, learn: sightings },
  'peeks and the pages of anime': { cron: '0 * * * *', peekMs: 180_000, ...PAGES },
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
    const results = runs.map((releases) => simulatePeeks(releases, strategy, lastWeek(releases)));
    const wanted = strategy.readsPages ? WANTED : undefined;
    return [
      { what: `${name}: mean lateness`, values: results.map(({ lateness }) => meanOf(lateness)), unit: 's' },
      { what: `${name}: p95 lateness`, values: results.map(({ lateness }) => p95Of(lateness)), unit: 's' },
      { what: `${name}: requests a day`, values: results.map(({ requests }) => requests) },
    ].map((row, index) => ({ ...row, ...(wanted?.[index] && { wanted: wanted[index] }) }));
  });
}

function lastWeek(releases: readonly Release[]): [from: number, to: number] {
  const end = releases.at(-1)?.at ?? 0;
  return [end - WEEK_MS, end];
}

const meanOf = (lateness: number[]) => lateness.reduce((sum, ms) => sum + ms, 0) / lateness.length / 1_000;
const p95Of = (lateness: number[]) =>
  (lateness.toSorted((a, b) => a - b)[Math.floor(lateness.length * 0.95)] ?? 0) / 1_000;
