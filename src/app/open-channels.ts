import type { Foresee } from '../belief/expectations/foresee.ts';
import type { Report } from '../domain/operational-event.ts';
import type { AnnouncedAnime } from '../outbox/channels/announcement.ts';
import { createChannelReceiver } from '../outbox/channels/channel-receiver.ts';
import { type Channels, openChannels } from '../outbox/channels/channels.ts';
import { createDiscordThrottle } from '../outbox/channels/discord-throttle.ts';
import { keepChannels } from '../outbox/channels/kept-channels.ts';
import { createPostChannel } from '../outbox/channels/post-channel.ts';
import type { ClientOptions } from '../outbox/client.ts';
import type { Receiver } from '../outbox/receiver.ts';
import { createAnimeRecords } from '../publishing/anime-records.ts';
import { createOwnCovers } from '../publishing/own-covers.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import { flattenStatus } from '../store/source-status.ts';

interface ChannelSenderOptions extends ClientOptions {
  store: SnapshotStore;
  /** The public origin of the listing. */
  url: string;
  sourceUrl: string;
  allowsPrivate: boolean;
  /** The address of a cover that is kept here. */
  coverOf: (slug: string) => string | undefined;
  foresee: Foresee;
  report: Report;
}

/** The announcements in channels of strangers. */
export interface ChannelSender extends Channels {
  receiver: Receiver;
}

export function openChannelSender(options: ChannelSenderOptions): ChannelSender {
  const { store, report, now } = options;
  const known = createAnnouncedAnime(options);
  const post = createPostChannel({ ...options, throttle: createDiscordThrottle() });
  const kept = keepChannels({ store, report, now });
  const channels = openChannels({ store, rows: kept.rows, post, known, report, now });
  return {
    receiver: createChannelReceiver({ channels: kept, post, known, report }),
    change: channels.change,
    stop() {
      channels.stop();
      kept.stop();
    },
  };
}

const NO_COVERS = createOwnCovers({}, new Map(), '');

/** Returns the anime of the listing that this process knows, computed once for each. */
function createAnnouncedAnime(options: ChannelSenderOptions): () => AnnouncedAnime {
  const { store, url, sourceUrl, coverOf, foresee, now } = options;
  let snapshot: object | undefined;
  let known: AnnouncedAnime = { url, coverOf, records: new Map() };
  return () => {
    const { listing } = store.known();
    if (!listing || listing.snapshot === snapshot) return known;
    const at = now();
    const status = flattenStatus(store.known().status);
    const foreseen = foresee({ ...listing, status }, at);
    const content = { ...listing, ...foreseen };
    // `coverOf` has the covers that are kept here: they change without the listing.
    const records = createAnimeRecords(content, NO_COVERS, status.mirror ?? sourceUrl, at);
    snapshot = listing.snapshot;
    known = { url, coverOf, records: new Map(records.map((record) => [record.slug, record])) };
    return known;
  };
}
