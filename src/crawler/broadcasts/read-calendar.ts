import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Broadcast, Calendar, Medium } from '../../domain/broadcast.ts';
import { AppError, describeError } from '../../domain/errors.ts';
import { excerpt } from '../../domain/text.ts';
import { DAY_MS } from '../../domain/units.ts';
import { createHttpClient, type HttpClient, parseRetryAfter, readAtMost } from '../../network/http-client.ts';

/** AniList answers 50 entries at a time, and a week has about 100. */
export const MAX_REQUESTS = 10;
/** Keeps below the 30 requests a minute that AniList answers in its worst times. */
const PAUSE_MS = 2_100;
const TIMEOUT_MS = 15_000;
const MAX_BYTES = 10 * 1024 * 1024;
/** The delay of the source is learned from the broadcasts of the last days. */
const BACK_MS = 8 * DAY_MS;
const AHEAD_MS = 14 * DAY_MS;
const MAX_TITLE = 300;
const MAX_SYNONYMS = 15;
/** Each is compared with each anime whenever one is foreseen; three weeks have about 300. */
const MAX_ENTRIES = 2_000;
/** A broadcast that is further away from now is an error of the calendar, or of a clock. */
const MAX_DISTANCE_MS = 60 * DAY_MS;

const ANILIST = 'https://graphql.anilist.co';
const QUERY = `query ($page: Int, $from: Int, $to: Int) { Page(page: $page, perPage: 50) { pageInfo { hasNextPage }
  airingSchedules(airingAt_greater: $from, airingAt_lesser: $to, sort: TIME) { episode airingAt media {
    id idMal synonyms title { romaji english native } } } } }`;

interface ReadOptions {
  /** The value of BROADCASTS_URL. */
  url: string;
  userAgent: string;
  /** Wall clock, ms since 1970. */
  now: () => number;
  signal: AbortSignal;
  /** Called before each request. */
  onRequest: () => void;
  /** The time between two requests, ms. */
  pauseMs?: number;
}

/**
 * Reads the calendar from some days back to two weeks ahead. Throws AppError `source-…` when it cannot be read: no answer in
 * time, a status that is not 200, more than 10 MB, another shape, no broadcast of these weeks.
 */
export async function readCalendar(options: ReadOptions): Promise<Calendar> {
  const { url, now, signal, pauseMs = PAUSE_MS } = options;
  const isAniList = url === 'anilist:';
  const from = toSeconds(now() - BACK_MS);
  const to = toSeconds(now() + AHEAD_MS);
  const client = createHttpClient({ timeoutMs: TIMEOUT_MS });
  const pages: CalendarPage[] = [];
  try {
    do {
      if (pages.length > 0) await sleep(pauseMs, undefined, { signal });
      const query = isAniList && { query: QUERY, variables: { page: pages.length + 1, from, to } };
      pages.push(parsePage(await readText(client, options, query), now()));
    } while (isAniList && pages.at(-1)?.hasNextPage && pages.length < MAX_REQUESTS);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError) throw error;
    throw new AppError('source-down', `it cannot be read: ${describeError(error)}`, { cause: error });
  } finally {
    await client.close();
  }
  const media = mergeEntries(pages.flatMap(({ entries }) => entries));
  if (media.length === 0) throw new AppError('source-changed', 'the answer has no broadcast of these weeks');
  return { readAt: now(), media };
}

/** The text of a file, or of the answer to a request, which is a POST where there is a query. */
async function readText(client: HttpClient, options: ReadOptions, query: object | false): Promise<string> {
  const { url, userAgent, now, onRequest } = options;
  const file = /^file:(.+)/u.exec(url)?.[1];
  if (file) {
    if ((await stat(file)).isFile()) return readWhole(createReadStream(file));
    throw new Error('it is not a file');
  }
  onRequest();
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const headers = { accept: 'application/json', 'user-agent': userAgent, 'content-type': 'application/json' };
  const response = query
    ? await client.fetch(ANILIST, { signal, headers, method: 'POST', body: JSON.stringify(query) })
    : await client.fetch(url, { signal, headers });
  if (response.status === 200) return readWhole(response.body);
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after') ?? '', now());
  throw new AppError('source-down', `it answered ${response.status}`, { retryAfterMs });
}

async function readWhole(chunks: AsyncIterable<Uint8Array> | null): Promise<string> {
  const { bytes, isWhole } = await readAtMost(MAX_BYTES, chunks);
  if (!isWhole) throw new AppError('source-changed', `it has more than ${MAX_BYTES} bytes`);
  return bytes.toString();
}

type Entry = Broadcast & { medium: Omit<Medium, 'broadcasts'> };

interface CalendarPage {
  entries: Entry[];
  hasNextPage: boolean;
}

/**
 * Reads an answer of AniList's GraphQL API to a query of `airingSchedules`. An entry that cannot be read is left out. Throws
 * AppError `source-changed` when the answer has another shape. `now`: ms since 1970.
 */
function parsePage(text: string, now: number): CalendarPage {
  const page = parseJson(text)?.data?.Page;
  if (!Array.isArray(page?.airingSchedules))
    throw new AppError('source-changed', 'the answer has no airingSchedules');
  const entries = page.airingSchedules
    .slice(0, MAX_ENTRIES)
    .flatMap((entry: Json) => parseEntry(entry, now) ?? []);
  return { entries, hasNextPage: page.pageInfo?.hasNextPage === true };
}

/** Undefined for an entry that cannot be read, or is too far away from now. */
function parseEntry(entry: Json, now: number): Entry | undefined {
  const { id, idMal, synonyms, title } = entry?.media ?? {};
  const medium = wholeNumber(id);
  const episode = wholeNumber(entry?.episode);
  const at = (wholeNumber(entry?.airingAt) ?? Number.NaN) * 1_000;
  if (!medium || !episode || !(Math.abs(at - now) <= MAX_DISTANCE_MS)) return undefined;
  const others: unknown[] = Array.isArray(synonyms) ? synonyms.slice(0, MAX_SYNONYMS) : [];
  return {
    episode,
    at,
    medium: {
      id: medium,
      idMal: wholeNumber(idMal),
      romaji: readTitle(title?.romaji),
      english: readTitle(title?.english),
      native: readTitle(title?.native),
      synonyms: others.map(readTitle).filter((one) => one !== null),
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: JSON from outside, each part of which is checked
type Json = any;

function parseJson(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('source-changed', 'the answer is not JSON');
  }
}

function readTitle(value: unknown): string | null {
  return (typeof value === 'string' && excerpt(value, MAX_TITLE)) || null;
}

function toSeconds(ms: number): number {
  return Math.trunc(ms / 1_000);
}

/** A number of an anime, of an episode, or of seconds. */
function wholeNumber(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : null;
}

/** The media with their broadcasts. Of two entries for one episode, the last one counts. */
function mergeEntries(entries: readonly Entry[]): Medium[] {
  return [...Map.groupBy(entries, ({ medium }) => medium.id).values()].flatMap((own) => {
    const byEpisode = new Map(own.map(({ episode, at }) => [episode, { episode, at }]));
    const broadcasts = [...byEpisode.values()].sort((a, b) => a.at - b.at);
    return own.slice(-1).map(({ medium }) => ({ ...medium, broadcasts }));
  });
}
