import { describe, expect, onTestFinished, test } from 'vitest';
import { filePart, multipart, openUploads } from '../../support/upload-client.ts';

const BODY = multipart(filePart());

/** Uploads from these addresses to a service with a limit of two; returns the statuses. */
async function statusesOf(trust: string, forwarded: (string | undefined)[]): Promise<number[]> {
  const environment = { UPLOAD_RATE_LIMIT: '2', TRUST_PROXY: trust };
  const { post } = await openUploads(onTestFinished, environment);
  const statuses: number[] = [];
  for (const address of forwarded) {
    const headers: Record<string, string> = address === undefined ? {} : { 'X-Forwarded-For': address };
    statuses.push((await post(BODY, { headers })).status);
  }
  return statuses;
}

describe('a forwarded address', () => {
  test('is ignored when no proxy is trusted', async () => {
    const forwarded = ['192.0.2.1', '192.0.2.2', '192.0.2.3', undefined];
    expect(await statusesOf('', forwarded)).toEqual([200, 200, 429, 429]);
    expect(await statusesOf('0', forwarded)).toEqual([200, 200, 429, 429]);
  });

  test('behind one hop is the rightmost, and the addresses before it are ignored', async () => {
    const forwarded = ['192.0.2.1', '10.9.9.9, 192.0.2.1', '1.1.1.1,192.0.2.1', '192.0.2.1, 192.0.2.2'];
    expect(await statusesOf('1', forwarded)).toEqual([200, 200, 429, 200]);
  });

  test('is the second from the right behind two hops', async () => {
    const forwarded = [
      '192.0.2.1, 10.0.0.1',
      '8.8.8.8, 192.0.2.1, 10.0.0.2',
      'x, 192.0.2.1, 10.0.0.1',
      '192.0.2.2, 10.0.0.1',
    ];
    expect(await statusesOf('2', forwarded)).toEqual([200, 200, 429, 200]);
  });

  test('behind trusted ranges is the first from the right outside of them', async () => {
    const forwarded = [
      '192.0.2.1',
      '192.0.2.1, 10.1.2.3',
      '192.0.2.9, 192.0.2.1, 10.3.2.1',
      '192.0.2.1, 192.0.2.9',
    ];
    expect(await statusesOf('loopback, 10.0.0.0/8', forwarded)).toEqual([200, 200, 429, 200]);
  });

  test('is ignored when the peer is outside the trusted ranges', async () => {
    expect(await statusesOf('10.0.0.0/8', ['192.0.2.1', '192.0.2.2', '192.0.2.3'])).toEqual([200, 200, 429]);
  });

  test('of IPv6 counts for its /64', async () => {
    const forwarded = ['2001:db8::1', '2001:db8::2:3:4:5', '2001:db8:0:0:ffff::', '2001:db8:0:1::1'];
    expect(await statusesOf('1', forwarded)).toEqual([200, 200, 429, 200]);
  });

  test('of IPv6 counts for its /48 with eight times the limit, and a refused one counts for neither', async () => {
    const site = Array.from({ length: 16 }, (_, i) => `2001:db8:0:${(i % 8) + 1}::1`);
    const statuses = await statusesOf('1', [...site, '2001:db8:0:9::1', '2001:db8:0:a::1', '2001:db8:1::1']);
    expect(statuses).toEqual([...site.map(() => 200), 429, 429, 200]);
  });

  test('that is an IPv4-mapped IPv6 address counts as the IPv4 address', async () => {
    const forwarded = ['::ffff:192.0.2.1', '192.0.2.1', '::ffff:c000:201', '::ffff:192.0.2.2'];
    expect(await statusesOf('1', forwarded)).toEqual([200, 200, 429, 200]);
  });

  test('that is invalid counts together with all invalid ones', async () => {
    expect(await statusesOf('1', ['unknown', '_hidden', '<script>', '192.0.2.1'])).toEqual([
      200, 200, 429, 200,
    ]);
  });
});
