import type { Status } from '../crawler/source-state.ts';
import type { Snapshot } from '../domain/listing.ts';
import { localDay } from '../domain/local-day.ts';
import { LANGUAGES, type Language, TRANSLATIONS } from '../pages/i18n/translations.ts';
import { pagePolicy } from '../pages/layout.ts';
import { troubleOf } from '../pages/trouble.ts';
import { renderWeekPage, type WeekPage } from '../pages/week.ts';
import { chooseCoverOrigins } from './cover-origins.ts';
import { type Document, type Documents, sameOr } from './document.ts';

/** The front page in one language. */
export const frontAddress = (language: Language) => `/?lang=${language}`;

/** What the pages depend on beside the snapshot. They are rendered again when one of these changes. */
export interface FrontState {
  timeZone: string;
  /** Public origin; null until it is known. */
  url: string | null;
  status: Pick<Status, 'state' | 'since' | 'refreshedAt'>;
  /** The origin of the source that served last. */
  sourceUrl: string;
  /** Wall clock, ms since 1970. */
  now: number;
}

/** The front page in every language, by its address. */
export function renderFront(
  snapshot: Snapshot,
  state: FrontState,
  before?: Documents,
): [address: string, Document][] {
  const { timeZone, url, status, now } = state;
  const page: WeekPage = {
    snapshot,
    timeZone,
    url,
    today: localDay(timeZone, now),
    coverOrigins: chooseCoverOrigins(snapshot.ongoing),
    trouble: troubleOf(status, now),
  };
  return LANGUAGES.map((language) => {
    const address = frontAddress(language);
    return [address, render(language, page, now, before?.get(address))];
  });
}

function render(language: Language, page: WeekPage, now: number, before?: Document): Document {
  // HTTP dates have seconds: a client that asks "since?" must not miss the second of two changes.
  const changedAt = Math.max(now, (before?.changedAt ?? 0) + 1_000);
  return sameOr(before, 'text/html; charset=utf-8', renderWeekPage(page, TRANSLATIONS[language]), changedAt, {
    vary: ['Accept-Language'],
    headers: [
      ...['Content-Security-Policy', pagePolicy(page.coverOrigins)],
      ...['Content-Language', language, 'Referrer-Policy', 'no-referrer'],
    ],
  });
}
