import type { Snapshot } from '../domain/listing.ts';
import { localDay } from '../domain/local-day.ts';
import type { Status } from '../listing/source-state.ts';
import { pagePolicy } from '../pages/layout.ts';
import { renderWeekPage, type Trouble, type WeekPage } from '../pages/week.ts';
import { WORDS } from '../pages/words/all.ts';
import { LANGUAGES, type Language } from '../pages/words/words.ts';
import { chooseCoverOrigins } from './cover-origins.ts';
import { createDocument, type Document } from './document.ts';

/** The front page in every language. */
export type Front = Record<Language, Document>;

/** What the front page depends on beside the snapshot: it is rendered again when one of these is another. */
export interface FrontState {
  timeZone: string;
  /** Public origin; null until it is known. */
  url: string | null;
  status: Pick<Status, 'state' | 'since' | 'refreshedAt'>;
  /** Wall clock, ms since 1970. */
  now: number;
}

export async function renderFront(snapshot: Snapshot, state: FrontState, before?: Front): Promise<Front> {
  const { timeZone, url, status, now } = state;
  const page: WeekPage = {
    ...{ snapshot, timeZone, url },
    today: localDay(timeZone, now),
    coverOrigins: chooseCoverOrigins(snapshot.ongoing),
    trouble: troubleOf(status, now),
  };
  const entries = LANGUAGES.map(async (language) => [language, await render(language, page, now, before)]);
  return Object.fromEntries(await Promise.all(entries));
}

async function render(language: Language, page: WeekPage, now: number, fronts?: Front): Promise<Document> {
  const text = renderWeekPage(page, WORDS[language]);
  const before = fronts?.[language];
  if (before?.identity.bytes.equals(Buffer.from(text))) return before;
  // HTTP dates have seconds: who asks "since?" must not miss the second of two changes.
  const changedAt = Math.max(now, (before?.changedAt ?? 0) + 1_000);
  return createDocument('text/html; charset=utf-8', text, changedAt, {
    vary: ['Accept-Language'],
    headers: [
      ...['Content-Security-Policy', pagePolicy(page.coverOrigins)],
      ...['Content-Language', language, 'Referrer-Policy', 'no-referrer'],
    ],
  });
}

function troubleOf({ state, since, refreshedAt }: FrontState['status'], now: number): Trouble | undefined {
  if (state === null || state === 'ok') return undefined;
  return { state, since: since ?? now, good: refreshedAt ?? since ?? now };
}
