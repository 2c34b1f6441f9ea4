import type { Cover } from '../../domain/cover.ts';
import { DAYS, listedSlugs, type OngoingDay } from '../../domain/listing.ts';
import { localDay, weekdayOf } from '../../domain/local-day.ts';
import { leftAtOf, renamedSlugs, type Snapshot } from '../../domain/snapshot.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/units.ts';

const REREAD_MS = 30 * DAY_MS;
/** Covers that are only read again are spread: one comes so long after any other. */
const REREAD_PAUSE_MS = 20 * MINUTE_MS;
const FIRST_RETRY_MS = HOUR_MS;
const MAX_RETRY_MS = REREAD_MS;
/** Limits the daily requests if a source keeps renaming its pictures; first covers come on top. */
const MAX_REREADS_A_DAY = 100;

/** The record of one cover. */
export interface CoverRecord {
  /** Absent until a picture was good. */
  kept?: Cover;
  /** The path that was tried last, without its host: that changes with the mirror. */
  path: string;
  /** ms since 1970 */
  triedAt: number;
  /** How often that path failed in a row. */
  failures: number;
}

export type CoverRecords = Readonly<Record<string, CoverRecord>>;

/** A cover at the source. */
export interface WantedCover {
  slug: string;
  /** Its absolute address. */
  address: string;
}

/** What this process remembers of its own readings; not stored. */
export interface CoverMemory {
  /** When covers were read of anime that had one, in the last day; ms since 1970. */
  rereads: readonly number[];
  /** Whether a host is left alone for now, because it refuses or does not answer. */
  isPaused: (host: string) => boolean;
}

/** The path identifies a cover, whatever the host. */
export const pathOf = (address: string) => URL.parse(address)?.pathname ?? address;

/**
 * The covers of all anime that are listed or remembered: today's first, then day by day through the week, as the front
 * page shows them, then the others. `now`: ms since 1970.
 */
export function listWanted(snapshot: Snapshot, timeZone: string, now: number): WantedCover[] {
  const { ongoing, left = {}, details = {} } = snapshot;
  const today = weekdayOf(localDay(timeZone, now));
  const daysUntil = (day: OngoingDay) =>
    day === 'None' || day === 'Random' ? 7 : (DAYS.indexOf(day) - today + 7) % 7;
  const listed = ongoing.toSorted((a, b) => daysUntil(a.day) - daysUntil(b.day));
  const images = new Map(listed.map(({ slug, image }) => [slug, image]));
  for (const slug of [...listedSlugs(snapshot), ...leftAtOf(snapshot).keys()]) {
    const image = left[slug]?.anime.image ?? details[slug]?.image;
    if (image !== undefined && !images.has(slug)) images.set(slug, image);
  }
  return [...images].map(([slug, address]) => ({ slug, address }));
}

/** Drops the records of forgotten anime. A corrected slug takes over the record of the old one. */
export function keepKnown(records: CoverRecords, snapshot: Snapshot, now: number): CoverRecords {
  const known = new Set([...listedSlugs(snapshot), ...leftAtOf(snapshot).keys()]);
  const renamed = renamedSlugs(snapshot, now);
  const kept: Record<string, CoverRecord> = {};
  for (const [slug, record] of Object.entries(records)) {
    const current = known.has(slug) ? slug : renamed.get(slug);
    if (current !== undefined && (current === slug || !records[current])) kept[current] = record;
  }
  return kept;
}

/**
 * The covers that are to be read now: those never tried, those whose path has changed, those that failed, then at most one whose
 * last reading is 30 days old. `now`: ms since 1970.
 */
export function findDueCovers(
  wanted: readonly WantedCover[],
  records: CoverRecords,
  { rereads, isPaused }: CoverMemory,
  now: number,
): WantedCover[] {
  const ready = wanted.filter(({ address }) => !isPaused(hostOf(address)));
  const untried = ready.filter(({ slug }) => !records[slug]);
  const changed = ready.filter(({ slug, address }) => {
    const record = records[slug];
    return record !== undefined && record.path !== pathOf(address);
  });
  const waited = ready.filter(({ slug, address }) => {
    const record = records[slug];
    return record !== undefined && record.path === pathOf(address) && isOver(record, now);
  });
  const failed = waited.filter(({ slug }) => records[slug]!.failures > 0);
  const isQuiet = !Object.values(records).some(
    ({ triedAt }) => triedAt > now - REREAD_PAUSE_MS && triedAt <= now,
  );
  const isFree = isQuiet && untried.length + changed.length + failed.length === 0;
  const [oldest] = waited.toSorted((a, b) => records[a.slug]!.triedAt - records[b.slug]!.triedAt);
  const again = [...changed, ...failed, ...(isFree && oldest ? [oldest] : [])];
  const today = rereads.filter((at) => at > now - DAY_MS && at <= now).length;
  return [...untried, ...again.slice(0, Math.max(0, MAX_REREADS_A_DAY - today))];
}

/** Whether the time until the next reading is over. A time after now is of a clock that was ahead. */
function isOver({ triedAt, failures }: CoverRecord, now: number): boolean {
  const waitMs = failures > 0 ? Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), MAX_RETRY_MS) : REREAD_MS;
  return triedAt > now || now >= triedAt + waitMs;
}

export const hostOf = (address: string) => URL.parse(address)?.host ?? '';
