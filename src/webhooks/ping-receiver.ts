import type { HttpClient } from '../outbound/http-client.ts';
import { reasonOf } from './post-message.ts';
import type { ReceiverAddress } from './receiver-address.ts';
import { TELEGRAM_API } from './telegram.ts';

const LIMIT_MS = 5_000;

/** Requests the root of a receiver's host, which sends no message. Resolves with the reason of a failure; any answer is a success. */
export async function pingReceiver(
  client: Pick<HttpClient, 'fetch'>,
  address: ReceiverAddress,
): Promise<string | undefined> {
  const url = address.kind === 'telegram' ? TELEGRAM_API : new URL('/', address.url).href;
  try {
    const signal = AbortSignal.timeout(LIMIT_MS);
    const response = await client.fetch(url, { method: 'HEAD', signal });
    await response.body?.cancel();
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}
