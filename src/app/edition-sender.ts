import { isDeepStrictEqual } from 'node:util';
import { foresee } from '../belief/expectations/foresee.ts';
import type { CalendarReader } from '../crawler/broadcasts/calendar-reader.ts';
import type { Covers } from '../domain/cover.ts';
import { localDay } from '../domain/local-day.ts';
import type { Report } from '../domain/operational-event.ts';
import { renamedSlugs } from '../domain/snapshot.ts';
import { nextUpcomingChange } from '../publishing/anime-records.ts';
import { changesOf, memoryOf } from '../publishing/document-changes.ts';
import { type Edition, type EditionContent, renderEdition } from '../publishing/edition.ts';
import type { EventContext } from '../publishing/events.ts';
import { createOwnCovers } from '../publishing/own-covers.ts';
import type { FlatStatus } from '../store/source-status.ts';
import type { StoredListing } from '../store/stored-listing.ts';
import type { ThreadContext } from './threads/run-thread.ts';

/** The clock is read this often, because it may be set, and the machine may sleep. */
const CHECK_EVERY_MS = 5_000;

/** What is published of the store. */
export type SnapshotUpdate = StoredListing & { status: FlatStatus };

interface EditionSenderOptions {
  /** Public origin of the listing. */
  url: string;
  timeZone: string;
  /** The origin of the source that links lead to until one has served. */
  sourceUrl: string;
  /** Whether Web Push is switched on. */
  hasPush?: boolean | undefined;
  /** Whether readers can add channels. */
  hasChannels?: boolean | undefined;
  /** The calendar of broadcasts, where one is configured. */
  calendar?: Pick<CalendarReader, 'foresee' | 'readAt'> | undefined;
  /** The covers that are kept here, where any are to be: the same object until one changes. */
  covers?: (() => Covers) | undefined;
  post: ThreadContext['post'];
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/** Renders editions, and sends them to the main thread. */
export interface EditionSender {
  /** Takes the new listing state. */
  show(latest: SnapshotUpdate): void;
  /** Whether the last edition was rendered from the latest content. */
  isCurrent(): boolean;
  /** What the last edition shows of events beside them. */
  eventContext(): EventContext;
  stop(): void;
}

/**
 * Renders an edition whenever readers would see a difference, and sends it to the main thread. Time alone makes a difference
 * when a day begins, and when the window of an expected episode ends. A good reading that shows no change makes one if it is
 * the first of the day, or if such an episode becomes late. The source is not asked then, and the events stay as they are.
 * Nothing is sent before there is something to show.
 */
export function startEditionSender({ post, report, ...options }: EditionSenderOptions): EditionSender {
  const { url, timeZone, hasPush, hasChannels, calendar, covers, now } = options;
  let content: SnapshotUpdate | undefined;
  let edition: Edition | undefined;
  /** The last edition, and its inputs. */
  let shown: EditionContent | undefined;
  let key = '';
  /** The `readAt` for which `shown.expected` was last computed. */
  let foreseenAt: number | null = null;
  let hasFailed = false;

  function render(content: SnapshotUpdate): void {
    const { status, snapshot } = content;
    const at = now();
    const dayOf = (ms: number | null) => ms !== null && localDay(timeZone, ms);
    const keyFor = ({ expected }: EditionContent) =>
      keyOf(status, dayOf(at), dayOf(status.readAt), calendar?.readAt(), nextUpcomingChange(expected, at));
    const kept = covers?.();
    const isSame = snapshot === shown?.snapshot && kept === shown.covers && key === keyFor(shown);
    if (isSame && status.readAt === foreseenAt) return;
    const next = { ...content, ...(calendar?.foresee ?? foresee)(content, at), covers: kept };
    foreseenAt = status.readAt;
    if (isSame && isDeepStrictEqual(next.expected, shown?.expected)) return;
    const sourceUrl = status.mirror ?? options.sourceUrl;
    const before = edition;
    edition = renderEdition(
      next,
      { url, timeZone, status, sourceUrl, hasPush, hasChannels, now: at },
      before,
    );
    shown = next;
    key = keyFor(next);
    const { documents: all, ...rest } = edition;
    const documents = changesOf(all, before?.documents);
    post({ type: 'edition', documents, edition: rest }, memoryOf(documents));
  }

  /** Sends an edition where that makes a difference. Tries again while it fails, and reports that once. */
  function check(): void {
    try {
      if (content) render(content);
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) report({ type: 'render-failed', error });
      hasFailed = true;
    }
  }

  const timer = setInterval(check, CHECK_EVERY_MS);
  return {
    show(latest) {
      content = latest;
      check();
    },
    isCurrent: () => !hasFailed,
    eventContext(): EventContext {
      const { calendar, covers = {}, snapshot } = shown ?? {};
      const renamed = snapshot ? renamedSlugs(snapshot, now()) : new Map();
      return { url, calendar, covers: createOwnCovers(covers, renamed, url) };
    },
    stop: () => clearInterval(timer),
  };
}

/** Pages show the times of the source only while it is in trouble. */
function keyOf({ state, since, readAt, refreshedAt, mirror }: FlatStatus, ...others: unknown[]): string {
  const isReadSince = (readAt ?? 0) > (since ?? 0);
  return JSON.stringify([others, mirror, state === 'ok' ? null : [state, since, refreshedAt, isReadSince]]);
}
