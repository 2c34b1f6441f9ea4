import type { AnimeEvent } from '../domain/event.ts';
import type { Snapshot } from '../domain/listing.ts';
import { localDay } from '../domain/local-day.ts';
import type { Status } from '../listing/source-state.ts';
import { type Edition, renderEdition } from './edition.ts';

/** What an edition is rendered from. The clock makes it another one, too: a new day is a new front page. */
export interface Shown {
  snapshot: Snapshot;
  /** Of the last 30 days, up to the snapshot's last one. */
  events: readonly AnimeEvent[];
  status: Status;
  /** Public origin; null until it is known. */
  url: string | null;
}

export interface EditionKeeper {
  /** Undefined until there is a snapshot. */
  edition(): Edition | undefined;
  /** Renders what has become different; resolves when it is what readers get. */
  show(news?: Partial<Shown>): Promise<void>;
}

/** Keeps the edition that belongs to what is known, whoever tells of it first. One rendering at a time. */
export function keepEdition(timeZone: string, first: Partial<Shown>, now: () => number): EditionKeeper {
  let edition: Edition | undefined;
  let shown: Partial<Shown> = first;
  let renderedFor: string | undefined;
  let last = Promise.resolve();

  async function render(news: Partial<Shown>): Promise<void> {
    const next = { ...shown, ...news };
    const at = now();
    if (isComplete(next)) {
      const key = keyOf(next, localDay(timeZone, at).date);
      if (key !== renderedFor || next.snapshot !== shown.snapshot) {
        edition = await renderEdition(next, { ...next, timeZone, now: at }, edition);
        renderedFor = key;
      }
    }
    shown = next;
  }

  return {
    edition: () => edition,
    show(news = {}) {
      const rendered = last.then(() => render(news));
      last = rendered.catch(() => {});
      return rendered;
    },
  };
}

function isComplete(shown: Partial<Shown>): shown is Shown {
  return shown.snapshot !== undefined && shown.status !== undefined;
}

/** How long the source has been well is nothing that the front page tells. */
function keyOf({ status: { state, since, refreshedAt }, url }: Shown, date: string): string {
  return JSON.stringify([date, url, state === 'ok' ? null : [state, since, refreshedAt]]);
}
