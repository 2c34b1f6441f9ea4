const PREFIX = 'whsec_';
const MIN_BYTES = 24;
const MAX_BYTES = 64;

/** Checks a secret of Standard Webhooks and returns it. Throws an Error that says what it must be, without the secret. */
export function parseSecret(value: string): string {
  const base64 = value.slice(PREFIX.length);
  const bytes = Buffer.from(base64, 'base64');
  const isCanonical = bytes.toString('base64').replace(/=+$/u, '') === base64.replace(/={0,2}$/u, '');
  if (value.startsWith(PREFIX) && isCanonical && bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES)
    return value;
  throw new Error(`must be ${PREFIX} and ${MIN_BYTES} to ${MAX_BYTES} bytes in base64`);
}

/** Returns the key of the signature. */
export function decodeSecret(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), 'base64');
}
