import type { Broadcast, Calendar, Medium } from '../../domain/broadcast.ts';
import { hasEnded } from '../../domain/details.ts';
import {
  type EpisodeHistory,
  type EpisodeRelease,
  type ExpectedEpisode,
  releaseDay,
  releaseTime,
} from '../../domain/episode-history.ts';
import { addDays } from '../../domain/local-day.ts';
import { sourceDate } from '../../domain/source-date.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from '../../domain/units.ts';
import { type Foresee, type Foreseen, foresee, lastReadAt } from './foresee.ts';
import { joinMedia } from './join.ts';
import { type Moment, openSlot } from './open-slot.ts';

/** The delay after a broadcast, for an anime without a measured one: the median of the measured delays. */
const USUAL_DELAY_MS = 135 * MINUTE_MS;
const MAX_DELAY_MS = DAY_MS;
/** The window around broadcast plus delay, by the delays of the anime itself, or of all. */
const OWN_WINDOW = { early: 1.5 * HOUR_MS, late: 2 * HOUR_MS };
const USUAL_WINDOW = { early: 2 * HOUR_MS, late: 3 * HOUR_MS };
/** An episode whose day is later than its broadcast by more has another number in the calendar. */
const MAX_DAYS_AFTER = 3;
/** A broadcast that is so much later than the usual time of the source means a break. */
const BREAK_MS = WEEK_MS - DAY_MS / 2;

/** A broadcast as the source is expected to have it. */
type Slot = Pick<ExpectedEpisode, 'episode' | 'expectedAt' | 'earliest' | 'latest'>;

/**
 * Adds the calendar where the source is silent: an hour, a break, and the episodes due while the source could not be
 * read, which count as released. It never overrules a time of the source.
 */
export function foreseeByBroadcasts(
  calendar: Calendar,
  { snapshot, status }: Parameters<Foresee>[0],
  now: number,
): Foreseen {
  const { expected: own, ...known } = foresee({ snapshot, status }, now);
  const { history } = known;
  const media = joinMedia(snapshot, calendar.media);
  const moment = { readAt: lastReadAt({ snapshot, status }), now };
  const assumedSince = status.state === 'ok' ? Infinity : moment.readAt;
  const expected: Record<string, ExpectedEpisode | null> = { ...own };
  const assumed: Record<string, readonly Slot[]> = {};
  const delays = learnDelays(media, history);
  for (const [slug, { broadcasts }] of media) {
    const releases = history[slug] ?? [];
    if (hasEnded(snapshot.details?.[slug]?.details, releases)) continue;
    const slots = broadcastsAfter(releases, broadcasts).map((one) => slotOf(one, delays, slug));
    if (slots.length === 0) continue;
    const open = slots.findIndex(({ latest }) => latest <= assumedSince || latest >= now);
    const out = slots.slice(0, open < 0 ? slots.length : open);
    if (out.length > 0) assumed[slug] = out;
    const source = out.length > 0 ? undefined : own[slug];
    const next = chooseSlot(slots.slice(out.length), moment, releases.length > 0);
    if (!source || (next && next.expectedAt - source.expectedAt >= BREAK_MS)) expected[slug] = next;
  }
  return { ...known, expected, calendar: { readAt: calendar.readAt, media, assumed } };
}

/** The broadcasts after the newest release; none where the calendar has other numbers than the source. */
function broadcastsAfter(
  releases: readonly EpisodeRelease[],
  broadcasts: readonly Broadcast[],
): readonly Broadcast[] {
  const [newest] = releases;
  if (!newest) return broadcasts;
  const airedOn = (episode: number) => {
    const broadcast = broadcasts.find((one) => one.episode === episode);
    return broadcast && sourceDate(broadcast.at);
  };
  const isSame = releases.every((release) => {
    const aired = airedOn(release.episode);
    const day = releaseDay(release);
    return aired === undefined || (day >= aired && day <= addDays(aired, MAX_DAYS_AFTER));
  });
  const following = broadcasts.filter(({ episode }) => episode > newest.episode);
  const isNext = (airedOn(newest.episode + 1) ?? '') >= releaseDay(newest);
  return isSame && isNext ? following : [];
}

/**
 * The slot of the next episode, as `openSlot` says. Of an anime that only the schedule has, a missing first episode is late;
 * of a later one nobody knows whether the source shows it at all.
 */
function chooseSlot(slots: readonly Slot[], moment: Moment, isListed: boolean): ExpectedEpisode | null {
  const isLateKnown = isListed || slots[0]?.episode === 1;
  const open = isLateKnown ? slots : slots.filter(({ latest }) => latest >= moment.now);
  const slot = openSlot(open, moment);
  if (!slot) return null;
  const { passed, ...next } = slot;
  return { ...next, episode: open[passed]?.episode ?? next.episode, periodMs: WEEK_MS, basis: 'broadcast' };
}

function slotOf({ episode, at }: Broadcast, { own, usual }: Delays, slug: string): Slot {
  const { early, late } = own.has(slug) ? OWN_WINDOW : USUAL_WINDOW;
  const expectedAt = at + (own.get(slug) ?? usual);
  return { episode, expectedAt, earliest: expectedAt - early, latest: expectedAt + late };
}

/** How long after a broadcast the source has the episode, ms. */
interface Delays {
  /** Of each anime whose releases show it, by slug. */
  own: ReadonlyMap<string, number>;
  /** The median of these. */
  usual: number;
}

function learnDelays(media: ReadonlyMap<string, Medium>, history: EpisodeHistory): Delays {
  const own = new Map<string, number>();
  for (const [slug, { broadcasts }] of media) {
    for (const { episode, at } of broadcasts) {
      const release = history[slug]?.find((one) => one.episode === episode);
      const delay = ((release && releaseTime(release)) ?? Number.NaN) - at;
      if (delay >= 0 && delay <= MAX_DELAY_MS) own.set(slug, delay);
    }
  }
  const sorted = [...own.values()].sort((a, b) => a - b);
  return { own, usual: sorted[Math.floor(sorted.length / 2)] ?? USUAL_DELAY_MS };
}
