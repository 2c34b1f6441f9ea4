import { changedAt } from '../../domain/listing.ts';
import { createDocument, type Document, sameOr } from '../document.ts';
import { type OnDemand, onDemand } from '../on-demand.ts';
import { renderAtom } from './atom.ts';
import { renderCalendar } from './calendar.ts';
import { entriesOf, type FeedOptions } from './entry.ts';
import { renderJsonFeed } from './json-feed.ts';

const CALENDAR_TYPE = 'text/calendar; charset=utf-8';

/** Documents by their path, and the calendar of one anime by its slug. */
export interface Feeds {
  documents: Map<string, Document>;
  calendarOf: OnDemand<string>;
}

export async function renderFeeds(options: FeedOptions, before?: Feeds): Promise<Feeds> {
  const { snapshot, url } = options;
  const entries = entriesOf(options);
  const episodeAt = entries[0]?.at ?? changedAt(snapshot);
  const texts: [path: string, type: string, text: string, at: number][] = [
    [
      '/feeds/episodes.atom',
      'application/atom+xml; charset=utf-8',
      renderAtom(entries, url, episodeAt),
      changedAt(snapshot),
    ],
    [
      '/feeds/episodes.json',
      'application/feed+json; charset=utf-8',
      renderJsonFeed(entries, url),
      changedAt(snapshot),
    ],
    ['/feeds/schedule.ics', CALENDAR_TYPE, renderCalendar(options), snapshot.scheduleChangedAt],
  ];
  const documents = texts.map(async ([path, type, text, at]): Promise<[string, Document]> => {
    return [path, await sameOr(before?.documents.get(path), type, text, at)];
  });
  return {
    documents: new Map(await Promise.all(documents)),
    calendarOf: onDemand((slug) =>
      createDocument(CALENDAR_TYPE, renderCalendar(options, slug), snapshot.scheduleChangedAt),
    ),
  };
}
