import type { Report } from '../../domain/operational-event.ts';
import { createCounts } from '../counts.ts';
import { eventsAfter } from '../cursor.ts';
import type { Embed } from '../discord.ts';
import type { Receiver } from '../receiver.ts';
import { createRecipients } from '../recipients.ts';
import { type AnnouncedAnime, composeAnnouncement } from './announcement.ts';
import type { Channel } from './channel.ts';
import type { KeptChannels } from './kept-channels.ts';
import type { PostChannel } from './post-channel.ts';

interface ChannelReceiverOptions {
  channels: KeptChannels;
  post: PostChannel;
  known(): AnnouncedAnime;
  report: Report;
}

/** All channels as one receiver: each gets the new episodes of its anime, up to ten in a message. */
export function createChannelReceiver({ channels, post, known, report }: ChannelReceiverOptions): Receiver {
  const counts = createCounts((counted) => report({ type: 'channels-sent', ...counted }));
  return createRecipients<Channel, Embed[]>({
    key: 'channels',
    rows: channels.rows,
    parse: (text) => JSON.parse(text),
    // Discord limits each webhook for itself, so each has its own places and pauses.
    serviceOf: ({ url }) => url,
    compose(channel, news, log) {
      const [first] = eventsAfter(log, { ...channel.from, noticeAt: 0 });
      const own = first ? news.filter(({ number }) => number >= first.number) : [];
      return composeAnnouncement(channel, own, log, known());
    },
    post,
    refill: channels.refill,
    ...counts,
  });
}
