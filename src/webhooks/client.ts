import { createHttpClient, type HttpClient } from '../outbound/http-client.ts';
import { createGuardedLookup } from '../outbound/private-address.ts';
import { ATTEMPT_MS, PrivateReceiverError } from './post-message.ts';

/**
 * Creates the client that sends messages. Unless private addresses are allowed, connecting to a name that has one fails;
 * `parseReceivers` has refused literal ones.
 */
export function openWebhookClient(allowsPrivate: boolean): HttpClient {
  const lookup = createGuardedLookup(
    () => allowsPrivate,
    () => new PrivateReceiverError(),
  );
  return createHttpClient({ timeoutMs: ATTEMPT_MS, lookup });
}
