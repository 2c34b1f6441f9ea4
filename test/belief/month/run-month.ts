import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { createRefresh } from '../../../src/crawler/refresh.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { AnimeEvent } from '../../../src/domain/event.ts';
import type { Snapshot } from '../../../src/domain/snapshot.ts';
import type { Source } from '../../../src/source/source.ts';
import { openMemoryStore } from '../../../src/store/drivers/memory.ts';
import { openSnapshotStore } from '../../../src/store/snapshot-store.ts';
import { createRandom } from '../../support/create-random.ts';
import { openListSource, showSchedule } from '../../support/fake-source.ts';
import { timesOf } from '../../support/refresh.ts';
import { FAULT_NAMES, type FaultName, faultOf } from './faults.ts';
import { HOUR_MS, HonestSource, pageOf } from './world.ts';

const BEGIN = Date.parse('2026-11-01T05:00:00Z');
const PEEKS_AN_HOUR = 4;
/** A fault that lasts for longer is believed. */
const MAX_FAULT_HOURS = 5;
/** How long nothing leaves before the listing is compared with the source. */
const CALM_HOURS = 3;

interface Month {
  anime: number;
  hours: number;
  /** Draws the news. */
  seed: number;
  faults: { name: FaultName; afterHours: number; hours: number; ageHours: number }[];
}

export const months = (hours: number): fc.Arbitrary<Month> =>
  fc.record({
    anime: fc.integer({ min: 31, max: 64 }),
    hours: fc.constant(hours),
    seed: fc.nat(),
    faults: fc.array(
      fc.record({
        name: fc.constantFrom(...FAULT_NAMES),
        afterHours: fc.integer({ min: CALM_HOURS + 1, max: 24 }),
        hours: fc.integer({ min: 1, max: MAX_FAULT_HOURS }),
        ageHours: fc.integer({ min: 1, max: 22 }),
      }),
      { minLength: 1, maxLength: Math.ceil(hours / 8) },
    ),
  });

/** Runs the hours of a month with the code of the service; returns what is wrong. */
export async function runMonth({ anime, hours, seed, faults: planned }: Month): Promise<string[]> {
  const random = createRandom(seed);
  const site = new HonestSource(anime, BEGIN);
  const faults: string[] = [];
  let now = BEGIN;
  let fault: Month['faults'][number] | undefined;
  let readings = 0;
  const store = await openSnapshotStore(await openMemoryStore(), { random: () => 0.5 });
  const refresh = createRefresh({
    source: createSource(),
    store,
    report: () => {},
    now: () => now,
    times: timesOf(() => now, HOUR_MS / PEEKS_AN_HOUR),
    readsDetails: true,
  });
  const told = new Map<string, number>();
  /** The episodes that were announced, in an event of their own or with their anime. */
  const announced = new Set<string>();
  let lastEvent = 0;
  await run(false);
  const queue = [...planned];
  let [beginsIn, endsIn, calm] = [queue[0]?.afterHours ?? hours, 0, 0];

  for (let hour = 0; hour < hours && faults.length === 0; hour += 1) {
    if (!fault && beginsIn === 0) {
      fault = queue.shift();
      endsIn = fault?.hours ?? 0;
    } else if (fault && endsIn === 0) {
      fault = undefined;
      calm = 0;
      beginsIn = queue[0]?.afterHours ?? hours;
    }
    for (let peek = 1; peek <= PEEKS_AN_HOUR && faults.length === 0; peek += 1) {
      now += HOUR_MS / PEEKS_AN_HOUR - 1_000;
      if (random() < 0.09) site.air(Math.floor(random() * site.anime.length), now);
      if (random() < 0.01) site.add(now);
      if (random() < 0.01 && !fault && beginsIn > CALM_HOURS && calm > CALM_HOURS)
        site.leave(Math.floor(random() * site.anime.length), now);
      now += 1_000;
      await run(peek < PEEKS_AN_HOUR);
    }
    calm += 1;
    if (fault) endsIn -= 1;
    else beginsIn -= 1;
    if (!fault && calm === 2) await compare(hour);
  }
  return faults;

  async function run(isPeek: boolean): Promise<void> {
    await refresh({ force: false, signal: new AbortController().signal, isPeek }).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
    });
    const listing = await store.readListing();
    if (!listing) return void faults.push('there is no snapshot');
    checkRecords(listing.snapshot);
    checkEvents(listing.events);
  }

  /** Nothing is served that the honest source never had. */
  function checkRecords({ ongoing }: Snapshot): void {
    const wrong = ongoing.find((one) => !site.records.has(JSON.stringify(one)));
    if (wrong) faults.push(`${describe()}: served ${JSON.stringify(wrong)}`);
  }

  /** Nothing is told that the honest source never did, and nothing twice. */
  function checkEvents(events: readonly AnimeEvent[]): void {
    for (const event of events.filter(({ number }) => number > lastEvent)) {
      const what = `${event.type} ${event.slug}${event.type === 'new-episode' ? ` ${event.episode}` : ''}`;
      if (!site.facts.has(what)) faults.push(`${describe()}: told ${what}`);
      told.set(what, (told.get(what) ?? 0) + 1);
      announced.add(what);
      // What was out when an anime was listed first is announced with it.
      for (let episode = 1; event.type === 'added' && episode <= event.episode; episode += 1)
        announced.add(`new-episode ${event.slug} ${episode}`);
      if ((told.get(what) ?? 0) > 1) faults.push(`${describe()}: told ${what} twice`);
    }
    lastEvent = Math.max(lastEvent, events.at(-1)?.number ?? 0);
  }

  /**
   * Everything that the honest source did is announced, two crawls after the fault in which it happened. Nobody can have seen the
   * episode of an anime that left before the next reading.
   */
  function checkUntold(hour: number): void {
    const hasLeft = (fact: string) => site.facts.has(`left ${fact.split(' ')[1]}`);
    const untold = [...site.facts].filter(
      (fact) => !announced.has(fact) && !(fact.startsWith('new-episode') && hasLeft(fact)),
    );
    if (untold.length > 0) faults.push(`after hour ${hour}, never announced: ${untold.join(', ')}`);
  }

  async function compare(hour: number): Promise<void> {
    checkUntold(hour);
    const { ongoing, schedule } = (await store.readSnapshot()) as Snapshot;
    const groups = schedule.map(({ day, animeList }) => ({ day, cards: animeList }));
    const truth = { ongoing: site.anime, groups: showSchedule(site.at(now).anime).groups };
    if (isDeepStrictEqual({ ongoing, groups }, truth)) return;
    faults.push(`after hour ${hour}, two crawls after a fault, the listing is not that of the source`);
  }

  function describe(): string {
    const hour = Math.round((now - BEGIN) / HOUR_MS);
    return `hour ${hour}${fault ? ` under "${fault.name}"` : ''}`;
  }

  function createSource(): Source {
    const trouble = (mirror: string) => {
      readings += 1;
      return { site, now, n: readings, age: (fault?.ageHours ?? 0) * HOUR_MS, mirror };
    };
    const shown = () => (fault ? faultOf(fault.name) : {});
    const pages = {
      async readSchedule(mirror: string) {
        const page = showSchedule(site.at(now).anime);
        return shown().schedule?.(page, trouble(mirror)) ?? page;
      },
      async readOngoing(number: number, mirror: string) {
        const page = pageOf(site.at(now), number);
        return shown().list?.(page, trouble(mirror)) ?? page;
      },
      async readAnime(slug: string) {
        if (fault?.name === 'out of reach') throw new AppError('source-down', 'no answer');
        return site.pageOf(slug);
      },
    };
    return openListSource(pages, ['https://one.example', 'https://two.example']);
  }
}
