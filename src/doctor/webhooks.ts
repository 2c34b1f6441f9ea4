import { pingReceiver } from '../webhooks/client.ts';
import { nameReceivers } from '../webhooks/receiver-address.ts';
import { type Finding, ok, problem, warning } from './check.ts';
import type { DoctorContext } from './context.ts';

/** Whether the hosts of the receivers can be reached. It sends them no message. */
export async function* checkWebhooks({ config, webhookClient }: DoctorContext): AsyncGenerator<Finding> {
  const { receivers, secret } = config.webhooks;
  const names = nameReceivers(receivers);
  if (receivers.length === 0) yield ok('no receiver is configured in WEBHOOK_URLS');
  if (secret === null && receivers.some(({ kind }) => kind === 'standard'))
    yield warning('messages have no signature, so a receiver cannot verify them; set WEBHOOK_SECRET');
  for (const [index, address] of receivers.entries()) {
    const failure = await pingReceiver(webhookClient, address);
    yield failure
      ? problem(`${names[index]}: ${failure}; change it in WEBHOOK_URLS, or fix its host`)
      : ok(`${names[index]} can be reached`);
  }
}
