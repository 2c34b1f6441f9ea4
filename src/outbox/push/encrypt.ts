import { createCipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from 'node:crypto';

/** What a browser gives with a subscription, both in base64url: its public key on P-256, and its secret. */
export interface BrowserKeys {
  p256dh: string;
  auth: string;
}

/** The size of a record. A message is a single one, and push services accept no longer ones. */
const RECORD_BYTES = 4_096;
/** RFC 8188: it follows the text of the last record. */
const LAST_RECORD = Buffer.from([2]);

/** Encrypts a text of 3,993 bytes at most for one browser, by RFC 8291. Returns the body of the request. */
export function encryptMessage(
  text: string,
  { p256dh, auth }: BrowserKeys,
  { salt = randomBytes(16), ecdh = createKeyPair() } = {},
): Buffer {
  const receiver = Buffer.from(p256dh, 'base64url');
  const sender = ecdh.getPublicKey();
  const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), receiver, sender]);
  const secret = derive(ecdh.computeSecret(receiver), Buffer.from(auth, 'base64url'), keyInfo, 32);
  const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16);
  const nonce = derive(secret, salt, 'Content-Encoding: nonce\0', 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const sizes = Buffer.alloc(5);
  sizes.writeUInt32BE(RECORD_BYTES);
  sizes.writeUInt8(sender.length, 4);
  const encrypted = [cipher.update(text), cipher.update(LAST_RECORD), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([salt, sizes, sender, ...encrypted]);
}

function createKeyPair(): ECDH {
  const ecdh = createECDH('prime256v1');
  ecdh.generateKeys();
  return ecdh;
}

function derive(secret: Buffer, salt: Buffer, info: string | Buffer, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));
}
