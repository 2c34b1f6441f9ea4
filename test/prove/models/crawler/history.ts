import { isDeepStrictEqual } from 'node:util';
import type { AnimeEvent } from '../../../../src/domain/event.ts';
import { changedAt, isLaterDate, type Snapshot } from '../../../../src/domain/listing.ts';

const WEEK_MS = 7 * 24 * 3_600_000;
const KEPT_MS = 30 * 24 * 3_600_000;

/**
 * The model of the store: every snapshot that was written, and every event that became visible with one. `check` functions
 * return what is wrong.
 */
export class History {
  readonly snapshots: Snapshot[] = [];
  readonly #events = new Map<number, AnimeEvent>();
  /** The last episode of each anime that an event told, or that it had at first. */
  readonly #told = new Map<string, number>();
  /** The time of the latest event that was ever stored: it decides which ones are old. */
  #latestAt = 0;

  get last(): Snapshot | undefined {
    return this.snapshots.at(-1);
  }

  /** Adds a snapshot that was written with these events. */
  add(snapshot: Snapshot, events: readonly AnimeEvent[]): string[] {
    const { last } = this;
    const faults = [...checkOrder(last, snapshot), ...checkListing(snapshot)];
    this.#latestAt = Math.max(this.#latestAt, ...events.map(({ at }) => at));
    const added = events.filter(({ number }) => number > (last?.lastEvent ?? 0));
    for (const event of added) this.#events.set(event.number, event);
    const found = added.map(describeEvent);
    const { required, allowed } = last ? this.#expectChanges(last, snapshot) : { required: [], allowed: [] };
    const missing = required.filter((one) => !found.includes(one));
    const invented = found.filter((one) => ![...required, ...allowed].includes(one));
    if (missing.length > 0 || invented.length > 0 || new Set(found).size < found.length)
      faults.push(`the events are [${found}], and should be [${required}] and perhaps [${allowed}]`);
    this.snapshots.push(snapshot);
    for (const { slug, episode } of snapshot.ongoing)
      if (!this.#told.has(slug)) this.#told.set(slug, episode);
    for (const event of added) if ('episode' in event) this.#told.set(event.slug, event.episode);
    return [...faults, ...this.checkEvents(events, snapshot)];
  }

  /** The visible events are all that belong to the snapshot, except for old ones. */
  checkEvents(visible: readonly AnimeEvent[], snapshot = this.last): string[] {
    const last = snapshot?.lastEvent ?? 0;
    const first = visible[0]?.number ?? last + 1;
    const faults = visible.flatMap((event, index) => {
      if (event.number !== first + index)
        return [`event ${event.number} is at the place of ${first + index}`];
      return isDeepStrictEqual(event, this.#events.get(event.number))
        ? []
        : [`event ${event.number} is another one`];
    });
    if (first + visible.length !== last + 1) faults.push(`the last visible event is not ${last}`);
    const oldestAt = this.#latestAt - KEPT_MS;
    const lost = [...this.#events.values()].filter(({ number, at }) => number < first && at > oldestAt);
    return [...faults, ...lost.map(({ number }) => `event ${number} is lost`)];
  }

  /** An episode that rises against the order of the source, together with many others, is no event. */
  #expectChanges(before: Snapshot, after: Snapshot): { required: string[]; allowed: string[] } {
    const now = changedAt(after);
    const listed = new Map(before.ongoing.map((anime) => [anime.slug, anime]));
    const kept = new Set(after.ongoing.map(({ slug }) => slug));
    const isShort = (slug: string) => (before.left?.[slug]?.leftAt ?? 0) > now - WEEK_MS;
    const gone = before.ongoing.filter(({ slug }) => !kept.has(slug) && !isShort(slug));
    const required = gone.map(({ slug }) => `left ${slug}`);
    const allowed: string[] = [];
    for (const { slug, episode, date, day } of after.ongoing) {
      const last = listed.get(slug) ?? (isShort(slug) ? before.left?.[slug]?.anime : undefined);
      if (!last) required.push(`added ${slug} ${episode} ${day}`);
      if (last && last.day !== day) required.push(`moved ${slug} ${last.day} ${day}`);
      const isChanged = last && (last.episode !== episode || last.date !== date);
      if (!isChanged || episode <= (this.#told.get(slug) ?? 0)) continue;
      const isNews = episode > last.episode && isLaterDate(date, last.date);
      (isNews ? required : allowed).push(`new-episode ${slug} ${episode} ${day}`);
    }
    return { required, allowed };
  }
}

function describeEvent(event: AnimeEvent): string {
  switch (event.type) {
    case 'left':
      return `left ${event.slug}`;
    case 'moved':
      return `moved ${event.slug} ${event.from} ${event.to}`;
    default:
      return `${event.type} ${event.slug} ${event.episode} ${event.day}`;
  }
}

function checkOrder(before: Snapshot | undefined, after: Snapshot): string[] {
  const isNumbered = before || after.lastEvent === 0;
  return [
    ...(isNumbered ? [] : ['the first snapshot has events']),
    ...(before && changedAt(after) < changedAt(before) + 1_000 ? ['the time of the snapshot went back'] : []),
    ...(before && after.lastEvent < before.lastEvent ? ['the number of the last event went back'] : []),
  ];
}

function checkListing({ ongoing, schedule }: Snapshot): string[] {
  const slugs = new Set(ongoing.map(({ slug }) => slug));
  return [
    ...(slugs.size === ongoing.length ? [] : ['an anime is listed twice']),
    ...(ongoing.length > 0 ? [] : ['the list is empty']),
    ...(schedule.length === 8 ? [] : ['the schedule does not have eight groups']),
  ];
}
