import type { SnapshotUpdate } from '../crawler/snapshot-sync.ts';
import type { Status } from '../crawler/source-state.ts';
import { expectEpisodes } from '../crawler/timing/expected-times.ts';
import { nextUpcomingChange } from '../publishing/anime-records.ts';
import type { Edition } from '../publishing/edition.ts';
import { createEditionPublisher, type EditionPublisherOptions } from '../publishing/edition-publisher.ts';
import { createPacker } from '../publishing/packed-documents.ts';
import type { ThreadContext } from './threads/run-thread.ts';

interface EditionSenderOptions extends Omit<EditionPublisherOptions, 'publish' | 'now'> {
  post: ThreadContext['post'];
}

/** Renders an edition whenever readers would see a difference, and sends it to the main thread. */
export function createEditionSender({ post, ...options }: EditionSenderOptions) {
  const pack = createPacker();
  const publishChange = createEditionPublisher({ ...options, publish: send, now: Date.now });
  let latest: SnapshotUpdate | undefined;
  let expectedChangeAt = Infinity;

  function send({ documents: all, ...edition }: Edition): void {
    const documents = pack(all);
    post({ type: 'edition', documents, edition }, [documents.bytes]);
  }

  return {
    renderSnapshot(update: SnapshotUpdate): void {
      publishChange(update);
      latest = update;
      expectedChangeAt = nextUpcomingChange(update.expected, Date.now());
    },
    renderStatus: (status: Status) => publishChange({ status }),
    renderDay: () => publishChange(),
    /** Renders what is expected after a time has passed. The source is not asked, and the events stay as they are. */
    renderExpected(): void {
      if (!latest) return;
      const expected = expectEpisodes(latest.history, latest.snapshot.ongoing, Date.now());
      publishChange({ expected });
      expectedChangeAt = nextUpcomingChange(expected, Date.now());
    },
    /** When `renderExpected` is due, ms since 1970; Infinity for never. */
    expectedChangeAt: () => expectedChangeAt,
  };
}
