import type { EpisodeHistory, EpisodeSighting, ExpectedEpisode } from '../../domain/episode-history.ts';
import { HOUR_MS, MINUTE_MS, WEEK_MS } from '../../domain/units.ts';

/** After a longer gap a new season begins, often at another time. */
const MAX_GAP_MS = 4 * WEEK_MS;
/** Older sightings do not predict the next episode. */
const MAX_CONSIDERED = 8;
const MIN_AGREEING = 3;
const MIN_AGREEMENT = 2 / 3;
/** Sightings agree when their times of the week differ by no more from the median. */
const TOLERANCE_MS = 2 * HOUR_MS;
/** A window extends from the median by twice the median deviation and this margin. */
const MARGIN_MS = 10 * MINUTE_MS;
/** After more skipped weeks, no episode is expected until one is seen. */
const MAX_SKIPPED_WEEKS = 2;

/** The next episodes of these anime, by slug; an anime without a usual time is left out. */
export function expectEpisodes(
  history: EpisodeHistory,
  anime: readonly { slug: string }[],
  now: number,
): Record<string, ExpectedEpisode> {
  const expected: Record<string, ExpectedEpisode> = {};
  for (const { slug } of anime) {
    const next = expectEpisode(history[slug] ?? [], now);
    if (next) expected[slug] = next;
  }
  return expected;
}

/**
 * When the next episode comes, from the usual time of the week of those before it (newest first). Null rather than a
 * guess: with fewer than three sightings in this season, when fewer than two thirds of them agree, when the last two do
 * not, and after three skipped weeks. A week is 168 hours, since the source's clock knows no daylight saving time.
 */
export function expectEpisode(sightings: readonly EpisodeSighting[], now: number): ExpectedEpisode | null {
  const season = findSeason(sightings);
  const [last] = season;
  if (!last || season.length < MIN_AGREEING) return null;
  const usual = findUsualTime(season.map(({ seenAt }) => seenAt));
  const deviations = season.map(({ seenAt }) => Math.abs(weekDistance(seenAt, usual)));
  const agreeing = deviations.filter((ms) => ms <= TOLERANCE_MS);
  const hasMoved = deviations.slice(0, 2).every((ms) => ms > TOLERANCE_MS);
  const { length: basis } = agreeing;
  if (basis < MIN_AGREEING || basis < season.length * MIN_AGREEMENT || hasMoved) return null;

  const halfWindow = Math.min(MARGIN_MS + 2 * median(agreeing), TOLERANCE_MS);
  const lastSlot = last.seenAt - weekDistance(last.seenAt, usual);
  const skipped = Math.max(0, Math.ceil((now - halfWindow - lastSlot) / WEEK_MS) - 1);
  if (skipped > MAX_SKIPPED_WEEKS) return null;
  const expectedAt = Math.round(lastSlot + (skipped + 1) * WEEK_MS);
  const [earliest, latest] = [Math.round(expectedAt - halfWindow), Math.round(expectedAt + halfWindow)];
  return { episode: last.episode + 1, expectedAt, earliest, latest, basis };
}

/** The newest sightings, back to the last long gap. */
function findSeason(sightings: readonly EpisodeSighting[]): readonly EpisodeSighting[] {
  const considered = sightings.slice(0, MAX_CONSIDERED);
  const gap = considered.findIndex(
    ({ seenAt }, index) => seenAt - (considered[index + 1]?.seenAt ?? seenAt) > MAX_GAP_MS,
  );
  return gap < 0 ? considered : considered.slice(0, gap + 1);
}

/** The median time of the week. It is taken around the time nearest to all others, because a week is a circle. */
function findUsualTime(times: readonly number[]): number {
  const distanceToAll = (from: number) =>
    times.reduce((sum, time) => sum + Math.abs(weekDistance(time, from)), 0);
  const centre = times.reduce((best, time) => (distanceToAll(time) < distanceToAll(best) ? time : best));
  return centre + median(times.map((time) => weekDistance(time, centre)));
}

/** How much later in the week `time` is than `other`: from minus to plus half a week. */
function weekDistance(time: number, other: number): number {
  const ms = (time - other) % WEEK_MS;
  if (ms >= WEEK_MS / 2) return ms - WEEK_MS;
  return ms < -WEEK_MS / 2 ? ms + WEEK_MS : ms;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
