import { createHmac } from 'node:crypto';
import type { Message } from './message.ts';
import type { RequestOptions, WebhookRequest } from './requests.ts';
import { decodeSecret } from './secret.ts';

/** https://www.standardwebhooks.com: the message as JSON, with its id, the time of the attempt, and their signature. */
export function standardRequest(
  url: string,
  { id, type, at, data }: Message,
  { secret, now }: RequestOptions,
): WebhookRequest {
  const body = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
  const timestamp = String(Math.floor(now / 1_000));
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(secret !== null && { 'webhook-signature': sign(secret, `${id}.${timestamp}.${body}`) }),
  };
  return { url, headers, body };
}

function sign(secret: string, content: string): string {
  return `v1,${createHmac('sha256', decodeSecret(secret)).update(content).digest('base64')}`;
}
