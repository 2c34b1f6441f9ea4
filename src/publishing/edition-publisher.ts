import type { Status } from '../crawler/source-state.ts';
import type { AnimeEvent } from '../domain/event.ts';
import type { Snapshot } from '../domain/listing.ts';
import { localDay } from '../domain/local-day.ts';
import { type Edition, renderEdition } from './edition.ts';

/** What an edition is rendered from. The clock changes it too: a new day has a new front page. */
export interface Content {
  snapshot: Snapshot;
  /** Of the last 30 days, up to the snapshot's last one. */
  events: readonly AnimeEvent[];
  status: Pick<Status, 'state' | 'since' | 'refreshedAt'>;
}

export interface EditionPublisherOptions {
  /** Public origin of the listing. */
  url: string;
  timeZone: string;
  publish: (edition: Edition) => void;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/**
 * Returns a function that notes what has changed and publishes a new edition when readers would see a difference.
 * Nothing is published before there is a snapshot.
 */
export function createEditionPublisher({ url, timeZone, publish, now }: EditionPublisherOptions) {
  let content: Partial<Content> = {};
  let edition: Edition | undefined;
  let renderedFor: string | undefined;

  return (changes: Partial<Content> = {}): void => {
    const next = { ...content, ...changes };
    const isNewSnapshot = next.snapshot !== content.snapshot;
    if (isComplete(next)) {
      const key = keyOf(next.status, localDay(timeZone, now()).date);
      if (isNewSnapshot || key !== renderedFor) {
        edition = renderEdition(next, { url, timeZone, status: next.status, now: now() }, edition);
        renderedFor = key;
        publish(edition);
      }
    }
    content = next;
  };
}

function isComplete(content: Partial<Content>): content is Content {
  return content.snapshot !== undefined && content.events !== undefined && content.status !== undefined;
}

/** How long the source has been well is not shown to readers. */
function keyOf({ state, since, refreshedAt }: Content['status'], date: string): string {
  return JSON.stringify([date, state === 'ok' ? null : [state, since, refreshedAt]]);
}
