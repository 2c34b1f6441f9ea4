import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const hash = (text: string) => createHash('sha256').update(text).digest('hex');

/** Whether a request is signed with this key (AWS Signature Version 4), including its headers and their order. */
export function isSigned({ method, url = '', headers }: IncomingMessage, secret: string): boolean {
  const signed = /^AWS4-HMAC-SHA256 Credential=[^/]+\/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)$/u.exec(
    headers.authorization ?? '',
  );
  if (!signed) return false;
  const [, scope = '', names = '', signature] = signed;
  const { pathname, searchParams } = new URL(url, 'http://s3');
  const query = [...searchParams].map((pair) => pair.map(encode).join('=')).sort();
  const lines = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const parts = [method, pathname, query.join('&'), lines.join(''), names, headers['x-amz-content-sha256']];
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hash(parts.join('\n'))].join('\n');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return hmac(key, text).toString('hex') === signature;
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/gu,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
