import type { SnapshotUpdate } from '../crawler/snapshot-sync.ts';
import type { Status } from '../crawler/source-state.ts';
import { expectEpisodes } from '../crawler/timing/expected-times.ts';
import type { Report } from '../domain/operational-event.ts';
import { nextUpcomingChange } from '../publishing/anime-records.ts';
import type { Edition } from '../publishing/edition.ts';
import { createEditionPublisher, type EditionPublisherOptions } from '../publishing/edition-publisher.ts';
import { createPacker, memoryOf } from '../publishing/packed-documents.ts';
import type { ThreadContext } from './threads/run-thread.ts';

/** The clock is read this often, because it may be set, and the machine may sleep. */
const CHECK_EVERY_MS = 5_000;

interface EditionSenderOptions extends Omit<EditionPublisherOptions, 'publish'> {
  post: ThreadContext['post'];
  report: Report;
}

/**
 * Renders an edition whenever readers would see a difference, and sends it to the main thread. Time alone makes one when a day
 * begins, and when an expected episode is late. The source is not asked then, and the events stay as they are.
 */
export function startEditionSender({ post, report, ...options }: EditionSenderOptions) {
  const { now } = options;
  const pack = createPacker();
  const publishChange = createEditionPublisher({ ...options, publish: send });
  let latest: SnapshotUpdate | undefined;
  let expectedChangeAt = Infinity;
  let hasFailed = false;

  function send({ documents: all, ...edition }: Edition): void {
    const documents = pack(all);
    post({ type: 'edition', documents, edition }, memoryOf(documents));
  }

  function renderTime(): void {
    if (latest && expectedChangeAt <= now()) {
      const expected = expectEpisodes(latest.snapshot, latest.history, now());
      publishChange({ expected });
      expectedChangeAt = nextUpcomingChange(expected, now());
    } else publishChange();
  }

  /** Tries again while it fails, and reports that once. */
  function check(): void {
    try {
      renderTime();
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) report({ type: 'render-failed', error });
      hasFailed = true;
    }
  }

  const timer = setInterval(check, CHECK_EVERY_MS);
  return {
    renderSnapshot(update: SnapshotUpdate): void {
      publishChange(update);
      latest = update;
      expectedChangeAt = nextUpcomingChange(update.expected, now());
    },
    renderStatus: (status: Status) => publishChange({ status }),
    stop: () => clearInterval(timer),
  };
}
