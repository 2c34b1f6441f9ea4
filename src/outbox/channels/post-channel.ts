import { type ClientOptions, type PostOutcome, postFirstAccepted } from '../client.ts';
import { discordRequests, type Embed } from '../discord.ts';
import type { SendSignals } from '../receiver.ts';
import { type Channel, isAllowedWebhook } from './channel.ts';
import type { DiscordThrottle } from './discord-throttle.ts';

/** The time limit of one attempt. A message that was posted without an answer in time is posted again. */
const TIMEOUT_MS = 20_000;
/** Discord no longer knows the webhook, or does not accept its token. */
const GONE = [401, 403, 404];

/** Posts a message once. Never rejects. */
export type PostChannel = (
  channel: Pick<Channel, 'url'>,
  embeds: readonly Embed[],
  signals: SendSignals,
  timeoutMs?: number,
) => Promise<PostOutcome>;

interface PostChannelOptions extends ClientOptions {
  allowsPrivate: boolean;
  throttle: DiscordThrottle;
}

/** Creates the function that posts messages. */
export function createPostChannel({ allowsPrivate, throttle, ...options }: PostChannelOptions): PostChannel {
  return async ({ url }, embeds, { ending, aborting }, timeoutMs = TIMEOUT_MS) => {
    // It may have been stored while private addresses were allowed.
    if (!isAllowedWebhook(new URL(url), allowsPrivate))
      return { type: 'gone', reason: 'it is no webhook of Discord', tookMs: 0 };
    try {
      await throttle.wait(ending);
    } catch {
      return { type: 'failed', reason: 'it was stopped', tookMs: 0 };
    }
    const meanings = { gone: GONE, refused: [400] };
    const requests = discordRequests(url, embeds);
    const outcome = await postFirstAccepted(requests, { ...options, timeoutMs }, meanings, aborting);
    if (outcome.type === 'failed' && outcome.isGlobal) throttle.pause(outcome.retryAfterMs ?? 0);
    return outcome;
  };
}
