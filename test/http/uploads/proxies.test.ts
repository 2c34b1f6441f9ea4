import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createClientAddress } from '../../../src/http/client-address.ts';
import { filePart, multipart, openUploads } from '../../support/upload-client.ts';
import CASES from './proxies.json' with { type: 'json' };

const BODY = multipart(filePart());

/** Uploads from these addresses to a service with a limit of two; returns the statuses. */
async function statusesOf(trust: string, forwarded: (string | null)[]): Promise<number[]> {
  const environment = { UPLOAD_RATE_LIMIT: '2', TRUST_PROXY: trust };
  const { post } = await openUploads(onTestFinished, environment);
  const statuses: number[] = [];
  for (const address of forwarded) {
    const headers: Record<string, string> = address === null ? {} : { 'X-Forwarded-For': address };
    statuses.push((await post(BODY, { headers })).status);
  }
  return statuses;
}

describe('a forwarded address', () => {
  test.each(CASES)('$what', async ({ trust, forwarded, statuses }) => {
    expect(await statusesOf(trust, forwarded)).toEqual(statuses);
  });

  test('of IPv6 counts for its /48 with eight times the limit, and a refused one counts for neither', async () => {
    const site = Array.from({ length: 16 }, (_, i) => `2001:db8:0:${(i % 8) + 1}::1`);
    const statuses = await statusesOf('1', [...site, '2001:db8:0:9::1', '2001:db8:0:a::1', '2001:db8:1::1']);
    expect(statuses).toEqual([...site.map(() => 200), 429, 429, 200]);
  });
});

test.each([[null], [0], [1], [['loopback']]])(
  'a closed connection has an empty address (TRUST_PROXY %j)',
  (trust) => {
    expect(createClientAddress(trust)(new IncomingMessage(new Socket()))).toBe('');
  },
);
