import { createPublicKey, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAuthorization, createVapidKeys } from '../../src/outbox/push/vapid.ts';

const NOON = Date.parse('2026-11-20T12:00:00Z');
const decode = (text = '') => JSON.parse(Buffer.from(text, 'base64url').toString());

test('the token names the push service, the operator and half a day, and the public key verifies it', () => {
  const keys = createVapidKeys();
  expect(Buffer.from(keys.publicKey, 'base64url')).toHaveLength(65);
  const header = createAuthorization(keys, 'mailto:ops@example.org')('https://push.example', NOON);
  const [, token = '', key] = /^vapid t=([\w.-]+), k=([\w-]+)$/u.exec(header) ?? [];
  expect(key).toBe(keys.publicKey);
  const [head, claims, signature = ''] = token.split('.');
  expect(decode(head)).toEqual({ typ: 'JWT', alg: 'ES256' });
  const exp = NOON / 1_000 + 12 * 3_600;
  expect(decode(claims)).toEqual({ aud: 'https://push.example', exp, sub: 'mailto:ops@example.org' });
  const { d: _, ...jwk } = keys.privateKey;
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  const content = Buffer.from(`${head}.${claims}`);
  const isValid = verify(
    'sha256',
    content,
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  expect(isValid).toBe(true);
});
