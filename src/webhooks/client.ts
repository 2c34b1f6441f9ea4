import { createHttpClient, type HttpClient } from '../outbound/http-client.ts';
import { createGuardedLookup } from '../outbound/private-address.ts';
import { ATTEMPT_MS, PrivateReceiverError } from './post-message.ts';

/**
 * Creates the client that messages are sent with. Where private addresses are not allowed, a name that has one is refused
 * when it is connected to; literal addresses were refused by `parseReceivers`.
 */
export function openWebhookClient(allowsPrivate: boolean): HttpClient {
  const lookup = createGuardedLookup(
    () => allowsPrivate,
    () => new PrivateReceiverError(),
  );
  return createHttpClient({ timeoutMs: ATTEMPT_MS, lookup });
}
