import { json } from 'node:stream/consumers';
import type { Defer } from '../../support/defer.ts';
import { openHttpServer } from '../../support/http-server.ts';
import { type EventKey, type EventLike, keyOf } from './changing-source.ts';
import { type Journal, PROCESS_FAULTS, REDIS_FAULTS } from './journal.ts';

/** A message that was accepted; ms since 1970. */
interface Accepted {
  id: string;
  key: EventKey;
  at: number;
  /** Whether the sender stayed until the end of the response. */
  isHeard: boolean;
}

export interface WebhookLog {
  url: string;
  accepted: Accepted[];
  /** Repeated messages, by whether the contract allows the repeat. */
  repeats(): { allowed: Accepted[]; wrong: Accepted[] };
}

/**
 * A receiver that accepts every message. A repeat is allowed if the sender could not note the last delivery, because it was
 * killed or frozen, Redis was away, or the response never reached it. Then it repeats the last message, and no earlier one.
 */
export async function openWebhookLog(defer: Defer, journal: Journal): Promise<WebhookLog> {
  const accepted: Accepted[] = [];
  const origin = await openHttpServer(defer, async (request, response) => {
    const body = (await json(request).catch(() => undefined)) as
      | { type: string; data: EventLike }
      | undefined;
    if (!body) return void response.destroy();
    const type = body.type.replace('anime.', '');
    // `source.down` and `source.ok` are notices, not events.
    const isEvent = body.type.startsWith('anime.');
    const one = {
      id: String(request.headers['webhook-id']),
      key: isEvent ? keyOf({ ...body.data, type }) : body.type,
      at: Date.now(),
      isHeard: false,
    };
    if (isEvent) accepted.push(one);
    journal.write('messages', { webhook: one.key, id: one.id });
    response.writeHead(204).end(() => {
      one.isHeard = !request.socket.destroyed;
    });
  });

  function repeats() {
    const seen = new Map<string, Accepted>();
    const found = { allowed: [] as Accepted[], wrong: [] as Accepted[] };
    let newest: Accepted | undefined;
    for (const one of accepted) {
      const before = seen.get(one.key);
      if (before) (isAllowed(before, one, newest) ? found.allowed : found.wrong).push(one);
      else newest = one;
      seen.set(one.key, one);
    }
    return found;
  }

  function isAllowed(before: Accepted, again: Accepted, newest: Accepted | undefined): boolean {
    if (newest?.key !== again.key) return false;
    return !before.isHeard || journal.explains([...PROCESS_FAULTS, ...REDIS_FAULTS], before.at, again.at);
  }

  return { url: `${origin}/hook`, accepted, repeats };
}
