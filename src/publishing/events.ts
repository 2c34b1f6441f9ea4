import type { AnimeEvent } from '../domain/event.ts';
import type { EVENT, EVENTS } from './schemas/events.ts';
import type { Of } from './schemas/schema.ts';

/** What one answer holds at most; who has missed more asks again after the last of them. */
const MOST_AT_ONCE = 1_000;

/** What has been news lately, as one snapshot knows it. */
export interface News {
  /** Up to the one numbered `last`, without gaps, from the oldest that is kept. */
  events: readonly AnimeEvent[];
  last: number;
}

/**
 * The events after the one numbered `since`. Not complete when some of them are no longer kept, or when `since` is
 * yet to come: it is of a store that was lost.
 */
export function eventsAfter({ events, last }: News, since: number) {
  const oldest = events[0]?.number ?? last + 1;
  return {
    missed: events.slice(Math.max(0, since + 1 - oldest)),
    isComplete: since <= last && since + 1 >= oldest,
  };
}

/** `complete: false` tells to read the list anew, for something was missed that nobody can tell. */
export function presentEvents(news: News, since: number): Of<typeof EVENTS> {
  const { missed, isComplete } = eventsAfter(news, since);
  const events = missed.slice(0, MOST_AT_ONCE).map(presentEvent);
  const last = missed.length > MOST_AT_ONCE ? events.at(-1)!.number : news.last;
  return { status: true, data: { last, complete: isComplete, hasMore: last < news.last, events } };
}

/** `at` in ISO 8601. */
export function presentEvent({ at, ...event }: AnimeEvent): Of<typeof EVENT> {
  return { ...event, at: new Date(at).toISOString() };
}
