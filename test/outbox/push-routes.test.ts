import { beforeAll, describe, expect, test } from 'vitest';
import { createBrowserKeys } from '../support/push-service.ts';
import { eventually, openTestService, readJson } from '../support/service.ts';
import { untilEnd } from '../support/until-end.ts';

const PUSH = { SERVE: 'listing,refresh', REFRESH_CRON: 'off', PUSH_CONTACT: 'mailto:ops@example.org' };
const SLUGS = ['naga-terakhir', 'koki-%e7%86%8a'];
const defer = untilEnd();
let address: string;
let clients = 0;

beforeAll(async () => {
  ({ listing: address } = await openTestService(defer, { ...PUSH, TRUST_PROXY: '1' }));
});

const { keys } = createBrowserKeys();
const subscriptionOf = (changes: object = {}) => ({
  endpoint: 'https://push.example/send/1',
  expirationTime: null,
  keys,
  ...changes,
});

/** Every request comes from an address of its own unless it names one, because addresses are limited. */
function send(method: string, body: unknown, headers: Record<string, string> = {}) {
  clients += 1;
  return fetch(`${address}/push/subscription`, {
    method,
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': `192.0.2.${clients}`, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

const put = (changes: object = {}, slugs: unknown = SLUGS) =>
  send('PUT', { subscription: subscriptionOf(changes), slugs });

async function refusalOf(response: Promise<Response>): Promise<[number, string]> {
  const { status, message } = await readJson(await response);
  expect(status).toBe(false);
  return [(await response).status, message];
}

test('the key is a point on P-256, the same at every request', async () => {
  const ask = () => fetch(`${address}/push/key`);
  const response = await eventually(ask, ({ status }) => status === 200);
  const { status, data } = await readJson(response);
  expect(status).toBe(true);
  expect(data.key).toMatch(/^B[\w-]{86}$/u);
  expect(await readJson(ask())).toEqual({ status: true, data });
  expect(response.headers.get('cache-control')).toBe('no-store');
});

describe('what is no subscription', () => {
  const wrong: [string, () => Promise<Response>, RegExp][] = [
    ['no JSON', () => send('PUT', '{'), /send a JSON object: \{"subscription","slugs"\}/u],
    ['a list', () => send('PUT', []), /send a JSON object/u],
    ['no subscription', () => send('PUT', { slugs: [] }), /PushSubscription.toJSON/u],
    ['no endpoint', () => put({ endpoint: undefined }), /endpoint must be the https address/u],
    ['http', () => put({ endpoint: 'http://push.example/1' }), /endpoint/u],
    ['a password', () => put({ endpoint: 'https://a:b@push.example/1' }), /endpoint/u],
    ['a private address', () => put({ endpoint: 'https://192.168.1.1/1' }), /endpoint/u],
    ['the loopback', () => put({ endpoint: 'https://[::ffff:127.0.0.1]/1' }), /endpoint/u],
    ['localhost', () => put({ endpoint: 'https://localhost/1' }), /endpoint/u],
    ['a long address', () => put({ endpoint: `https://push.example/${'x'.repeat(3_000)}` }), /endpoint/u],
    ['no keys', () => put({ keys: undefined }), /p256dh must be a public key/u],
    ['a short key', () => put({ keys: { ...keys, p256dh: 'BAAA' } }), /p256dh must be a public key/u],
    [
      'no point',
      () => put({ keys: { ...keys, p256dh: Buffer.alloc(65, 4).toString('base64url') } }),
      /p256dh/u,
    ],
    ['a short secret', () => put({ keys: { ...keys, auth: 'AAAA' } }), /auth must be 16 bytes/u],
    ['no slugs', () => put({}, null), /slugs must be a list of 200/u],
    ['too many slugs', () => put({}, Array(201).fill('a')), /slugs must be a list of 200/u],
    ['a wrong slug', () => put({}, ['a', '<b>']), /slugs must be slugs from the listing; "<b>" is not one/u],
    ['a number', () => put({}, [1]), /slugs must be slugs from the listing; 1 is/u],
    ['a long slug', () => put({}, ['a'.repeat(30_000)]), /; "a{98}… is not one$/u],
    ['no endpoint to remove', () => send('DELETE', {}), /endpoint/u],
  ];

  test.each(wrong)('%s', async (_, ask, pattern) => {
    const [status, message] = await refusalOf(ask());
    expect([status, message]).toEqual([400, expect.stringMatching(pattern)]);
  });

  test('a body that is too long', async () => {
    expect(await refusalOf(put({}, ['x'.repeat(40_000)]))).toEqual([
      413,
      expect.stringContaining('32.00 KB'),
    ]);
  });

  test('another type', async () => {
    const [status, message] = await refusalOf(send('PUT', '{}', { 'Content-Type': 'text/plain' }));
    expect([status, message]).toEqual([415, 'send application/json']);
  });
});

test('pages of other sites may neither ask nor change anything', async () => {
  const origin = 'https://other.example';
  const preflight = await fetch(`${address}/push/subscription`, {
    method: 'OPTIONS',
    headers: { Origin: origin, 'Access-Control-Request-Method': 'PUT' },
  });
  const key = await fetch(`${address}/push/key`, { headers: { Origin: origin } });
  for (const { headers } of [preflight, key])
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  for (const site of ['cross-site', 'same-site'])
    expect(
      await refusalOf(send('DELETE', { endpoint: 'https://push.example/1' }, { 'Sec-Fetch-Site': site })),
    ).toEqual([403, expect.stringContaining('pages of this site only')]);
});

test.each([
  ['an IPv4 address', '198.51.100.7', '198.51.100.7', '198.51.100.8'],
  ['an IPv6 network', '2001:db8:1:1::1', '2001:db8:1:1::2', '2001:db8:1:2::1'],
])('%s may make 20 changes an hour', async (_, from, same, other) => {
  const change = (client: string) =>
    send('DELETE', { endpoint: 'https://push.example/1' }, { 'X-Forwarded-For': client });
  for (let count = 0; count < 20; count += 1) expect((await change(from)).status).toBe(204);
  const refused = await change(same);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_500);
  expect((await readJson(refused)).message).toMatch(/too many changes.* 60 minutes/u);
  expect((await change(other)).status).toBe(204);
});
