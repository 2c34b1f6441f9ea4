import type { Snapshot } from '../domain/listing.ts';
import { countPages, presentHome, presentSchedule } from './api.ts';
import { createDocument, type Document } from './document.ts';
import { type Front, type FrontState, renderFront } from './front.ts';

/** Every document of one snapshot. It is swapped as a whole, so that what is served together belongs together. */
export interface Edition {
  schedule: Document;
  /** Page N of the ongoing list is `home[N - 1]`. */
  home: Document[];
  front: Front;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Renders a snapshot. A document with the same bytes as before is taken over, compressed as it is. */
export async function renderEdition(
  snapshot: Snapshot,
  state: FrontState,
  before?: Edition,
): Promise<Edition> {
  const { scheduleChangedAt, ongoingChangedAt } = snapshot;
  const pages = Array.from({ length: countPages(snapshot.ongoing) }, (_, index) => index);
  return {
    schedule: await render(presentSchedule(snapshot), scheduleChangedAt, before?.schedule),
    home: await Promise.all(
      pages.map((index) => render(presentHome(snapshot, index + 1), ongoingChangedAt, before?.home[index])),
    ),
    front: await renderFront(snapshot, state, before?.front),
  };
}

async function render(json: object, changedAt: number, before: Document | undefined): Promise<Document> {
  const text = JSON.stringify(json);
  if (before?.identity.bytes.equals(Buffer.from(text))) return before;
  return createDocument(JSON_TYPE, text, changedAt);
}
