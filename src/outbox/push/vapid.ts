import { createPrivateKey, generateKeyPairSync, type JsonWebKey, sign } from 'node:crypto';
import { HOUR_MS } from '../../domain/units.ts';

/** The key pair that identifies this service to push services, as they are stored. */
export interface VapidKeys {
  /** Base64url, as browsers are given it to subscribe. */
  publicKey: string;
  privateKey: JsonWebKey;
}

/** Push services refuse a token that is valid for more than a day. */
const TOKEN_MS = 12 * HOUR_MS;

/** Makes a key pair on P-256. */
export function createVapidKeys(): VapidKeys {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = privateKey.export({ format: 'jwk' });
  const point = [Buffer.from([4]), ...[jwk.x, jwk.y].map((value = '') => Buffer.from(value, 'base64url'))];
  return { publicKey: Buffer.concat(point).toString('base64url'), privateKey: jwk };
}

/**
 * Returns a function from the origin of a push service to the header `Authorization` of RFC 8292. `contact`: where the
 * operator of a push service can complain, `mailto:` or `https:`.
 */
export function createAuthorization({ publicKey, privateKey }: VapidKeys, contact: string) {
  const key = createPrivateKey({ key: privateKey, format: 'jwk' });
  const header = encode({ typ: 'JWT', alg: 'ES256' });

  return (origin: string, now: number): string => {
    const exp = Math.floor((now + TOKEN_MS) / 1_000);
    const content = `${header}.${encode({ aud: origin, exp, sub: contact })}`;
    const signature = sign('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' });
    return `vapid t=${content}.${signature.toString('base64url')}, k=${publicKey}`;
  };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
