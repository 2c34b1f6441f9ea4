import { HOUR_MS } from '../domain/units.ts';
import { createClientAddress } from '../http/client-address.ts';
import { type PushRoutesOptions, pushRoutes } from '../http/listing/push.ts';
import { openMemoryWindow } from '../uploads/limiters/memory-window.ts';
import type { Config } from './config.ts';

type Connections = Pick<PushRoutesOptions, 'key' | 'change'>;

/** The routes of Web Push, for the listing. Each process limits the changes that it takes. */
export function openPushRoutes({ upload, webhooks }: Config, connections: Connections) {
  return pushRoutes({
    ...connections,
    limiter: openMemoryWindow({ windowMs: HOUR_MS, elapsedMs: () => performance.now() }),
    addressOf: createClientAddress(upload.trustProxy),
    allowsPrivate: webhooks.allowsPrivate,
  });
}
