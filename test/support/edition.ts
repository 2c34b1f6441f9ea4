import { recordCards } from '../../src/belief/record.ts';
import { historyOf } from '../../src/belief/releases.ts';
import type { ExpectedEpisode } from '../../src/domain/episode-history.ts';
import type { OngoingAnime } from '../../src/domain/listing.ts';
import type { Snapshot } from '../../src/domain/snapshot.ts';
import { MINUTE_MS, WEEK_MS } from '../../src/domain/units.ts';
import {
  type Edition,
  type EditionContent,
  type EditionState,
  renderEdition,
} from '../../src/publishing/edition.ts';
import { listingOf } from './fake-source.ts';

/** 07.00 on a Friday in Jakarta. */
export const NOW = Date.UTC(2026, 10, 20);

const STATE: EditionState = {
  timeZone: 'Asia/Jakarta',
  url: 'https://tayang.example',
  sourceUrl: 'https://source.example',
  status: { state: 'ok', since: NOW, readAt: NOW, refreshedAt: NOW },
  now: NOW,
};

/** A snapshot of these anime, which are in the schedule on their days, or of others there. */
export function makeSnapshot(
  ongoing: OngoingAnime[],
  scheduled: readonly OngoingAnime[] = ongoing,
  more: Partial<Snapshot> = {},
): Snapshot {
  const changed = { scheduleChangedAt: NOW, ongoingChangedAt: NOW };
  return { ...listingOf(ongoing, scheduled), ...changed, epoch: 'e1', lastEvent: 0, ledger: {}, ...more };
}

/** Episode 4, expected weekly from a time on, ten minutes earlier or later. */
export function makeExpected(expectedAt: number, more: Partial<ExpectedEpisode> = {}): ExpectedEpisode {
  const window = { earliest: expectedAt - 10 * MINUTE_MS, latest: expectedAt + 10 * MINUTE_MS };
  return {
    episode: 4,
    expectedAt,
    ...window,
    periodMs: WEEK_MS,
    basis: 3,
    late: false,
    unseen: false,
    ...more,
  };
}

/** Renders an edition, whose documents are read by their addresses. */
export function renderTestEdition(
  snapshot: Snapshot,
  content: Partial<EditionContent> = {},
  { before, ...state }: Partial<EditionState> & { before?: Edition } = {},
) {
  const reading = { at: STATE.now, after: undefined, silent: new Set<string>() };
  const history = {
    ...historyOf(
      recordCards(snapshot.ledger, { before: snapshot.ongoing, ongoing: snapshot.ongoing }, reading),
    ),
    ...content.history,
  };
  const shown = { snapshot, events: [], unnumbered: {}, expected: {}, ...content, history };
  const edition = renderEdition(shown, { ...STATE, ...state }, before);
  const document = (address: string) => edition.documents.get(address)!;
  const text = (address: string) => String(document(address).identity.bytes);
  return { ...edition, document, text, json: (address: string) => JSON.parse(text(address)) };
}
