import type { Status } from '../crawler/source-state.ts';
import { localDay } from '../domain/local-day.ts';
import { type Edition, type EditionContent, renderEdition } from './edition.ts';

/** What an edition is rendered from. The clock changes it too: a new day has a new front page. */
export interface Content extends EditionContent {
  status: Pick<Status, 'state' | 'since' | 'refreshedAt' | 'mirror'>;
}

export interface EditionPublisherOptions {
  /** Public origin of the listing. */
  url: string;
  timeZone: string;
  /** The origin of the source that links lead to until one has served. */
  sourceUrl: string;
  publish: (edition: Edition) => void;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/**
 * Returns a function that notes what has changed and publishes a new edition when readers would see a difference.
 * Nothing is published before there is a snapshot.
 */
export function createEditionPublisher(options: EditionPublisherOptions) {
  const { url, timeZone, publish, now } = options;
  let content: Partial<Content> = {};
  let edition: Edition | undefined;
  let renderedFor: string | undefined;

  return (changes: Partial<Content> = {}): void => {
    const next = { ...content, ...changes };
    const isNew = next.snapshot !== content.snapshot || next.expected !== content.expected;
    if (isComplete(next)) {
      const { status } = next;
      const key = keyOf(status, localDay(timeZone, now()).date);
      if (isNew || key !== renderedFor) {
        const sourceUrl = status.mirror ?? options.sourceUrl;
        edition = renderEdition(next, { url, timeZone, status, sourceUrl, now: now() }, edition);
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

/** Pages show the times of the source only while it is in trouble. */
function keyOf({ state, since, refreshedAt, mirror }: Content['status'], date: string): string {
  return JSON.stringify([date, mirror, state === 'ok' ? null : [state, since, refreshedAt]]);
}
