import type { SnapshotUpdate } from '../crawler/snapshot-sync.ts';
import type { Status } from '../crawler/source-state.ts';
import { localDay } from '../domain/local-day.ts';
import { type Edition, renderEdition } from './edition.ts';

export interface EditionPublisherOptions {
  /** Public origin of the listing. */
  url: string;
  timeZone: string;
  /** The origin of the source that links lead to until one has served. */
  sourceUrl: string;
  /** Whether Web Push is switched on. */
  hasPush?: boolean | undefined;
  publish: (edition: Edition) => void;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/**
 * Returns a function that takes changes and publishes a new edition when readers would see a difference. A new day makes one
 * too, because the front page shows the date. Nothing is published before there is a snapshot.
 */
export function createEditionPublisher(options: EditionPublisherOptions) {
  const { url, timeZone, hasPush, publish, now } = options;
  let content: Partial<SnapshotUpdate> = {};
  let edition: Edition | undefined;
  let renderedFor: string | undefined;

  return (changes: Partial<SnapshotUpdate> = {}): void => {
    const before = content;
    content = { ...before, ...changes };
    if (!isComplete(content)) return;
    const { status } = content;
    const isNew = content.snapshot !== before.snapshot || content.expected !== before.expected;
    const key = keyOf(status, localDay(timeZone, now()).date);
    if (!isNew && key === renderedFor) return;
    const sourceUrl = status.mirror ?? options.sourceUrl;
    edition = renderEdition(content, { url, timeZone, status, sourceUrl, hasPush, now: now() }, edition);
    renderedFor = key;
    publish(edition);
  };
}

function isComplete(content: Partial<SnapshotUpdate>): content is SnapshotUpdate {
  return content.snapshot !== undefined && content.status !== undefined;
}

/** Pages show the times of the source only while it is in trouble. */
function keyOf({ state, since, refreshedAt, mirror }: Status, date: string): string {
  return JSON.stringify([date, mirror, state === 'ok' ? null : [state, since, refreshedAt]]);
}
