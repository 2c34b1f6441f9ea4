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
  /** Whether the sender was there to the end of the answer. */
  isHeard: boolean;
}

export interface WebhookLog {
  url: string;
  accepted: Accepted[];
  /** Messages that came again, which the contract allows and does not. */
  repeats(): { allowed: Accepted[]; wrong: Accepted[] };
}

/**
 * A receiver that accepts every message. What is sent again is allowed where the sender could not note the last delivery: it was
 * killed or frozen, Redis was away, or the answer never reached it. Then it repeats the last message, and no earlier one.
 */
export async function openWebhookLog(defer: Defer, journal: Journal): Promise<WebhookLog> {
  const accepted: Accepted[] = [];
  const origin = await openHttpServer(defer, async (request, response) => {
    const body = (await json(request).catch(() => undefined)) as
      | { type: string; data: EventLike }
      | undefined;
    if (!body) return void response.destroy();
    const type = body.type.replace('anime.', '');
    // Trouble of the source is a notice and no event.
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
