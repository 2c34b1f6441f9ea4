import { createHmac } from 'node:crypto';
import type { PostedRequest } from '../client.ts';
import type { Message } from './message.ts';

const SECRET_PREFIX = 'whsec_';
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;

export interface RequestOptions {
  /** Of Standard Webhooks; null for messages without a signature. */
  secret: string | null;
  /** The moment of the attempt, ms since 1970. */
  now: number;
}

/** Checks a secret of Standard Webhooks and returns it. Throws an Error that says what it must be, without the secret. */
export function parseSecret(value: string): string {
  const base64 = value.slice(SECRET_PREFIX.length);
  const bytes = Buffer.from(base64, 'base64');
  const isCanonical = bytes.toString('base64').replace(/=+$/u, '') === base64.replace(/={0,2}$/u, '');
  const hasLength = bytes.length >= MIN_SECRET_BYTES && bytes.length <= MAX_SECRET_BYTES;
  if (value.startsWith(SECRET_PREFIX) && isCanonical && hasLength) return value;
  throw new Error(`must be ${SECRET_PREFIX} and ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} bytes in base64`);
}

/** https://www.standardwebhooks.com: the message as JSON, with its id, the time of the attempt, and their signature. */
export function standardRequest(
  url: string,
  { id, type, at, data }: Message,
  { secret, now }: RequestOptions,
): PostedRequest {
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
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}
