import { errorCode } from '../domain/errors.ts';
import { createHttpClient, type HttpClient } from '../network/http-client.ts';
import { createGuardedLookup } from '../network/private-address.ts';

/** The time limit of one attempt, its response included. */
export const ATTEMPT_MS = 15_000;

/** The host of a receiver has a private address. */
class PrivateReceiverError extends Error {
  constructor() {
    super('its host has a private address; set WEBHOOK_PRIVATE=on to allow that');
    this.name = 'PrivateReceiverError';
  }
}

/**
 * Creates the client that sends messages. Unless private addresses are allowed, connecting to a name that has one fails;
 * `parseReceivers` has refused literal ones.
 */
export function createWebhookClient(allowsPrivate: boolean): HttpClient {
  const lookup = createGuardedLookup(
    () => allowsPrivate,
    () => new PrivateReceiverError(),
  );
  return createHttpClient({ timeoutMs: ATTEMPT_MS, lookup });
}

/** Names an error of the client by its code: its message may contain the address. */
export function describeFailure(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof PrivateReceiverError) return cause.message;
  }
  return `no answer (${errorCode(error) ?? 'unknown error'})`;
}
