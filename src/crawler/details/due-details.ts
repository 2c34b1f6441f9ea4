import { newestEpisode } from '../../belief/releases.ts';
import type { KnownDetails } from '../../domain/details.ts';
import { bySlug, listedSlugs } from '../../domain/listing.ts';
import { leftAtOf, type Snapshot } from '../../domain/snapshot.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from '../../domain/units.ts';

/** After a page that still shows the time before, it is read again after these times, and then not until a week is over. */
const STALE_RETRIES_MS = [8 * MINUTE_MS, 25 * MINUTE_MS, 2 * HOUR_MS];
/** A page that denies the episode of the list is read again after this time: it may come from a cache. */
const DENIED_RETRY_MS = 6 * HOUR_MS;
/** Weekly readings are spread: one comes so long after any other reading. */
const WEEKLY_PAUSE_MS = 20 * MINUTE_MS;
const FIRST_RETRY_MS = HOUR_MS;
const MAX_RETRY_MS = DAY_MS;
/** Limits the daily requests if a list keeps changing; pages that were never read come on top. */
const MAX_READS_A_DAY = 100;

/** The failed readings of an anime since the last good one. */
export interface ReadFailures {
  count: number;
  /** The last one, ms since 1970. */
  at: number;
}

/** What this process remembers of its own readings; not stored. */
export interface ReadingMemory {
  failures: ReadonlyMap<string, ReadFailures>;
  /** When pages were read that had been read before, in the last day; ms since 1970. */
  rereads: readonly number[];
}

/**
 * The anime whose page is to be read now, most urgent first: those with a new episode, those never read, then at most
 * one anime that left since its last reading, or was read a week ago. `now`: ms since 1970.
 */
export function findDue(snapshot: Snapshot, memory: ReadingMemory, now: number): string[] {
  const { details = {} } = snapshot;
  const ongoing = bySlug(snapshot.ongoing);
  const left = leftAtOf(snapshot);
  const known = [...listedSlugs(snapshot), ...left.keys()];
  const ready = known.filter((slug) => !isBackingOff(memory.failures.get(slug), now));
  const unread = ready.filter((slug) => !details[slug]);
  const read = ready.flatMap((slug) => {
    const known = details[slug];
    if (!known) return [];
    // The page of an anime that left says whether it has ended: it goes before those whose week is over.
    const hasLeft = (left.get(slug) ?? 0) > known.readAt;
    const listed = ongoing.get(slug)?.episode ?? null;
    const isDenied = (newestEpisode(snapshot.ledger[slug]) ?? listed ?? 0) < (listed ?? 0);
    const dueAt = hasLeft ? 0 : nextReading(known, listed, isDenied ? DENIED_RETRY_MS : WEEK_MS);
    return [{ slug, dueAt, isWeekly: hasLeft || dueAt === known.readAt + WEEK_MS }];
  });
  const due = read.filter(({ dueAt }) => dueAt <= now);
  const urgent = due.filter(({ isWeekly }) => !isWeekly);
  const failedAt = memory.failures.values().map(({ at }) => at);
  const readings = [...Object.values(details).map(({ readAt }) => readAt), ...failedAt];
  const isQuiet = !readings.some((at) => at > now - WEEKLY_PAUSE_MS && at <= now);
  const mayReadWeekly = isQuiet && urgent.length + unread.length === 0;
  const [oldest] = due.filter((one) => one.isWeekly).sort((a, b) => a.dueAt - b.dueAt);
  const rereads = memory.rereads.filter((at) => at > now - DAY_MS && at <= now).length;
  const wanted = mayReadWeekly && oldest ? [...urgent, oldest] : urgent;
  const allowed = wanted.slice(0, Math.max(0, MAX_READS_A_DAY - rereads));
  return [...allowed.map(({ slug }) => slug), ...unread];
}

/** When a page that was read is to be read again, ms since 1970. `episode`: the newest one in the list. */
function nextReading(
  { readAt, episode: known, stale }: KnownDetails,
  episode: number | null,
  laterMs: number,
): number {
  if (episode !== null && episode !== known) return readAt;
  const retryMs = stale > 0 ? STALE_RETRIES_MS[stale - 1] : undefined;
  return readAt + (retryMs ?? laterMs);
}

function isBackingOff(failures: ReadFailures | undefined, now: number): boolean {
  if (!failures || failures.at > now) return false;
  return now < failures.at + Math.min(FIRST_RETRY_MS * 2 ** (failures.count - 1), MAX_RETRY_MS);
}
