import type { Report } from '../../domain/operational-event.ts';
import { excerpt } from '../../domain/text.ts';
import { DAY_MS } from '../../domain/units.ts';
import { nameOf } from '../../store/event-position.ts';
import type { SnapshotStore } from '../../store/snapshot-store.ts';
import type { Rows } from '../../store/store.ts';
import type { PostOutcome } from '../client.ts';
import { type AnnouncedAnime, composeWelcome } from './announcement.ts';
import { type Channel, type ChannelChange, type ChannelRequest, channelKeyOf } from './channel.ts';
import type { PostChannel } from './post-channel.ts';

/** How many channels are kept. */
export const MAX_CHANNELS = 10_000;
/** How long Discord may take to accept the first message. */
const FIRST_MESSAGE_MS = 30_000;
const MAX_REASON = 200;

/** How a change ended. A reason is public, so it contains no address. */
export type ChannelOutcome =
  | { type: 'done' }
  /** There are as many channels as are kept. */
  | { type: 'full' }
  /** The store could not be read or written. */
  | { type: 'failed' }
  /** Discord does not accept the message. */
  | { type: 'refused'; reason: string }
  | { type: 'busy'; retryAfterMs: number }
  | { type: 'unreachable'; reason: string };

/** Begins and ends the announcements in channels. */
export interface Channels {
  /**
   * Makes a change. Announcements begin once Discord has accepted a first message; what the channel had stays where it does
   * not, unless the webhook is gone. Never rejects.
   */
  change(change: ChannelChange): Promise<ChannelOutcome>;
  /** Gives up messages that are under way. */
  stop(): void;
}

interface ChannelsOptions {
  store: Pick<SnapshotStore, 'known'>;
  rows: Pick<Rows, 'get' | 'put' | 'remove'>;
  post: PostChannel;
  known(): AnnouncedAnime;
  report: Report;
  /** Wall clock, ms since 1970. */
  now(): number;
  max?: number;
}

export function openChannels(options: ChannelsOptions): Channels {
  const { store, rows, post, known, report, now, max = MAX_CHANNELS } = options;
  const stopping = new AbortController();
  const signals = { ending: stopping.signal, aborting: stopping.signal };

  async function start(channel: ChannelRequest): Promise<ChannelOutcome> {
    const key = channelKeyOf(channel.url);
    const before = await rows.get(key);
    const from = before ? (JSON.parse(before) as Channel).from : beginning();
    const outcome = await post(channel, composeWelcome(channel, known()), signals, FIRST_MESSAGE_MS);
    if (outcome.type === 'gone') await rows.remove(key);
    if (outcome.type !== 'delivered') return describeFailure(outcome, channel.url);
    const row: Channel = { ...channel, from };
    const day = Math.floor(now() / DAY_MS);
    // No channel makes place for another one.
    const isStored = await rows.put(key, JSON.stringify(row), { max, day, unusedSince: 0 });
    return { type: isStored ? 'done' : 'full' };
  }

  /** A new channel gets what happens from now on. */
  function beginning(): Channel['from'] {
    const { listing } = store.known();
    const last = listing?.events.at(-1);
    return { position: nameOf(listing?.snapshot.epoch ?? '', last), eventAt: last?.at ?? now() };
  }

  async function stop(url: string): Promise<ChannelOutcome> {
    await rows.remove(channelKeyOf(url));
    return { type: 'done' };
  }

  return {
    async change(change) {
      try {
        return await (change.type === 'start' ? start(change.channel) : stop(change.url));
      } catch (error) {
        report({ type: 'store-failed', doing: 'storing a channel', error });
        return { type: 'failed' };
      }
    },
    stop: () => stopping.abort(),
  };
}

/** Explains why Discord did not accept a first message. */
function describeFailure(outcome: PostOutcome, url: string): ChannelOutcome {
  const { answer } = outcome;
  if (outcome.type === 'delivered' || !answer) return { type: 'unreachable', reason: 'it did not answer' };
  const { status } = answer;
  if (status >= 500) return { type: 'unreachable', reason: `it answered ${status}` };
  if (status === 429 && outcome.type === 'failed')
    return { type: 'busy', retryAfterMs: outcome.retryAfterMs ?? 0 };
  return { type: 'refused', reason: [status, describeAnswer(answer.text, url)].filter(Boolean).join(' ') };
}

/** The words of Discord, without the address and its token. */
function describeAnswer(text: string, url: string): string {
  const secrets = [url, new URL(url).pathname.split('/').at(-1) ?? ''].filter(Boolean);
  const plain = secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), messageIn(text));
  return excerpt(plain.replaceAll(/<[^>]*>/gu, ' '), MAX_REASON);
}

function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text);
    return typeof message === 'string' ? message : '';
  } catch {
    return text;
  }
}
