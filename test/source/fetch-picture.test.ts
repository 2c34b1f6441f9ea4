import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { answerWithNock } from '../support/nock.ts';
import { openFetcher } from './support/loopback.ts';
import { refusal } from './support/refusal.ts';

const SITE = 'https://otakudesu.example';
const PAGE = `${SITE}/anime/naga/`;
const never = new AbortController().signal;

answerWithNock();

const fetchPicture = (address: string) => openFetcher({ origins: [SITE] }).fetchPicture(address, PAGE, never);

test('a picture is requested as such, with the page that shows it', async () => {
  const reqheaders = {
    accept: 'image/*',
    'accept-encoding': 'identity',
    referer: PAGE,
    'user-agent': 'Tayang/test',
  };
  const bytes = Buffer.from([0xff, 0xd8]);
  nock(SITE, { reqheaders }).get('/naga.jpg').reply(200, bytes);
  expect(Buffer.from(await fetchPicture(`${SITE}/naga.jpg`))).toEqual(bytes);
});

describe('a picture is not requested', () => {
  test.each([
    ['of this machine', 'http://127.0.0.1:6379/a.jpg'],
    ['of this machine by name', 'http://localhost/a.jpg'],
    ['of the metadata of a cloud', 'http://169.254.169.254/a.jpg'],
    ['of a private network, mapped', 'http://[::ffff:10.0.0.1]/a.jpg'],
    ['of no web address', 'ftp://otakudesu.example/a.jpg'],
  ])('%s, where a page or a redirect leads there', async (_what, address) => {
    await expect(fetchPicture(address)).rejects.toThrow(refusal('source-moved', /the source leads to/u));
    nock(SITE).get('/naga.jpg').reply(302, '', { location: address });
    await expect(fetchPicture(`${SITE}/naga.jpg`)).rejects.toThrow(
      refusal('source-moved', /the source redirects to/u),
    );
  });
});

test('five redirects to public hosts are followed', async () => {
  for (let number = 0; number < 5; number += 1)
    nock(SITE)
      .get(`/${number}`)
      .reply(302, '', { location: `https://cdn.example/${number}` });
  for (let number = 0; number < 4; number += 1)
    nock('https://cdn.example')
      .get(`/${number}`)
      .reply(302, '', { location: `${SITE}/${number + 1}` });
  await expect(fetchPicture(`${SITE}/0`)).rejects.toThrow(refusal('source-down', /more than 5 times/u));
});

test.each([
  [403, 'source-blocked'],
  [429, 'source-blocked'],
  [503, 'source-down'],
  [404, 'source-changed'],
  [304, 'source-changed'],
] as const)('an answer with %i is no picture', async (status, code) => {
  nock(SITE).get('/naga.jpg').reply(status, 'no', { 'Retry-After': '7' });
  await expect(fetchPicture(`${SITE}/naga.jpg`)).rejects.toMatchObject({ code, retryAfterMs: 7_000 });
});

test('a picture has 5 MB at most', async () => {
  const most = Buffer.alloc(5 * 1024 * 1024);
  nock(SITE)
    .get('/a')
    .reply(200, most)
    .get('/b')
    .reply(200, Buffer.concat([most, Buffer.alloc(1)]));
  expect((await fetchPicture(`${SITE}/a`)).length).toBe(most.length);
  await expect(fetchPicture(`${SITE}/b`)).rejects.toThrow(
    refusal('source-changed', /more than 5242880 bytes/u),
  );
});
