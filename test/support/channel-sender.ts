import { createChannelReceiver } from '../../src/outbox/channels/channel-receiver.ts';
import { openChannels } from '../../src/outbox/channels/channels.ts';
import { createDiscordThrottle } from '../../src/outbox/channels/discord-throttle.ts';
import { keepChannels } from '../../src/outbox/channels/kept-channels.ts';
import { createPostChannel } from '../../src/outbox/channels/post-channel.ts';
import { createWebhookClient } from '../../src/outbox/client.ts';
import type { Defer } from './defer.ts';
import { type OutboxSettings, openOutboxScene, readStates } from './outbox.ts';
import { eventually } from './service.ts';

const ORIGIN = 'https://tayang.example';

/** An outbox that sends to channels. The waits before a message is sent again are short, and real. */
export async function openTestChannelSender(
  defer: Defer,
  { max = 10_000, firstMs = 50, ...settings }: OutboxSettings & { max?: number } = {},
) {
  const scene = await openOutboxScene(defer, () => ({ receivers: [receiver] }), {
    slowMs: 60_000,
    ...settings,
    firstMs,
  });
  const { store } = scene;
  const client = createWebhookClient(true);
  defer(() => client.close());
  const now = () => scene.clock.now;
  const report = (event: (typeof scene.events)[number]) => void scene.events.push(event);
  const throttle = createDiscordThrottle();
  const post = createPostChannel({ client, userAgent: 'Tayang/test', now, allowsPrivate: true, throttle });
  const known = () => ({ url: ORIGIN, coverOf: () => undefined, records: new Map() });
  const kept = keepChannels({ store, report, now });
  defer(() => kept.stop());
  const channels = openChannels({ store, rows: kept.rows, post, known, report, now, max });
  const receiver = createChannelReceiver({ channels: kept, post, known, report });

  return {
    ...scene,
    /** Starts the outbox, and waits until it follows the events. Returns the function that stops it. */
    async start(): Promise<() => Promise<void>> {
      const { stop } = scene.start();
      await eventually(async () => (await readStates(store)).channels, Boolean);
      return stop;
    },
    subscribe: (url: string, slugs: string[] | null = null, language: 'id' | 'en' = 'en') =>
      channels.change({ type: 'start', channel: { url, slugs, language } }),
    /** The recipients that are not where the others are. */
    behind: async () => (await readStates(store)).channels?.behind?.flatMap(({ keys }) => keys) ?? [],
    count: async () => (await store.channels.after('', 100_000)).length,
  };
}
