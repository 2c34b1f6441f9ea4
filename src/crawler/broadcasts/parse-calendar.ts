import type { Calendar, Medium } from '../../domain/broadcast.ts';
import { AppError } from '../../domain/errors.ts';
import { excerpt } from '../../domain/text.ts';
import { DAY_MS } from '../../domain/units.ts';

const MAX_TITLE = 300;
const MAX_SYNONYMS = 30;
/** Each is compared with each anime; three weeks have about 300. */
const MAX_ENTRIES = 5_000;
/** A broadcast that is further away from now is an error of the calendar, or of a clock. */
const MAX_DISTANCE_MS = 60 * DAY_MS;

/** A value that was read: it may have these members or lack them, and each may be anything. */
type Unknown<Member extends string> = Partial<Record<Member, unknown>> | null | undefined;

/**
 * Reads an answer of AniList's GraphQL API to a query of `airingSchedules`. An entry that cannot be read is left out. Throws
 * AppError `source-changed` when the answer has another shape. `now`: ms since 1970.
 */
export function parseCalendar(text: string, now: number): Calendar & { hasNextPage: boolean } {
  const page = parseJson(text)?.data?.Page;
  if (!Array.isArray(page?.airingSchedules))
    throw new AppError('source-changed', 'the answer has no airingSchedules');
  const entries: Unknown<'episode' | 'airingAt' | 'media'>[] = page.airingSchedules.slice(0, MAX_ENTRIES);
  const media = new Map<number, Medium>();
  const broadcasts = new Map<string, Calendar['broadcasts'][number]>();
  for (const entry of entries) {
    const medium = readMedium(entry?.media as Unknown<keyof Medium | 'title'>);
    const episode = wholeNumber(entry?.episode);
    const at = (wholeNumber(entry?.airingAt) ?? Number.NaN) * 1_000;
    if (!medium || episode === null || !(Math.abs(at - now) <= MAX_DISTANCE_MS)) continue;
    media.set(medium.id, medium);
    broadcasts.set(`${medium.id} ${episode}`, { mediumId: medium.id, episode, at });
  }
  const inOrder = [...broadcasts.values()].sort((a, b) => a.at - b.at);
  const hasNextPage = page.pageInfo?.hasNextPage === true;
  return { readAt: now, media: [...media.values()], broadcasts: inOrder, hasNextPage };
}

function parseJson(
  text: string,
): { data?: { Page?: { pageInfo?: Unknown<'hasNextPage'>; airingSchedules?: unknown } } } | null {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('source-changed', 'the answer is not JSON');
  }
}

function readMedium(medium: Unknown<keyof Medium | 'title'>): Medium | undefined {
  const id = wholeNumber(medium?.id);
  if (id === null) return undefined;
  const title = medium?.title as Unknown<keyof Medium>;
  const synonyms = Array.isArray(medium?.synonyms) ? medium.synonyms.slice(0, MAX_SYNONYMS) : [];
  return {
    id,
    idMal: wholeNumber(medium?.idMal),
    romaji: readTitle(title?.romaji),
    english: readTitle(title?.english),
    native: readTitle(title?.native),
    synonyms: synonyms.flatMap((one) => readTitle(one) ?? []),
  };
}

function readTitle(value: unknown): string | null {
  return (typeof value === 'string' && excerpt(value, MAX_TITLE)) || null;
}

/** A number of an anime, of an episode, or of seconds. */
function wholeNumber(value: unknown): number | null {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) < 2 ** 40
    ? (value as number)
    : null;
}
