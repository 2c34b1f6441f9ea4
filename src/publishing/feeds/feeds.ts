import { changedAt } from '../../domain/listing.ts';
import { createDocument, type Document, sameOr } from '../document.ts';
import { renderAtom } from './atom.ts';
import { datedSlugs, renderCalendar } from './calendar.ts';
import { entriesOf, type FeedOptions } from './entry.ts';
import { renderJsonFeed } from './json-feed.ts';

const CALENDAR_TYPE = 'text/calendar; charset=utf-8';

const CALENDAR_PATH = '/feeds/schedule.ics';

/** Documents by their path, and the calendar of one anime by its slug: a small one, in identity encoding only. */
export interface Feeds {
  documents: ReadonlyMap<string, Document>;
  calendars: ReadonlyMap<string, Document>;
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
    [CALENDAR_PATH, CALENDAR_TYPE, renderCalendar(options), snapshot.scheduleChangedAt],
  ];
  const entriesByPath = texts.map(async ([path, type, text, at]): Promise<[string, Document]> => {
    return [path, await sameOr(before?.documents.get(path), type, text, at)];
  });
  const documents = new Map(await Promise.all(entriesByPath));
  const isSameWeek = before?.documents.get(CALENDAR_PATH) === documents.get(CALENDAR_PATH);
  return { documents, calendars: isSameWeek && before ? before.calendars : await renderCalendars(options) };
}

/** There are at most as many as scheduled anime, and each is rendered once for a schedule. */
async function renderCalendars(options: FeedOptions): Promise<Map<string, Document>> {
  const { scheduleChangedAt } = options.snapshot;
  const calendars = new Map<string, Document>();
  for (const slug of datedSlugs(options.snapshot)) {
    const text = renderCalendar(options, slug);
    calendars.set(
      slug,
      await createDocument(CALENDAR_TYPE, text, scheduleChangedAt, { encodings: ['identity'] }),
    );
  }
  return calendars;
}
