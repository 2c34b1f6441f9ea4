import { describe, expect, test } from 'vitest';
import { openOnce, openUploads } from '../../support/upload-client.ts';
import { WAYS } from '../../support/upload-ways.ts';

const TOKENS = ['kunci-rahasia-pertama', 'kunci-rahasia-kedua'] as const;
const uploads = openOnce((defer) => openUploads(defer, { UPLOAD_TOKENS: ` ${TOKENS.join(' , ')},` }));

const basic = (pair: string) => ({ Authorization: `Basic ${Buffer.from(pair).toString('base64')}` });
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const WRONG = [
  {},
  bearer('kunci-rahasia-ketiga'),
  bearer(`${TOKENS[0]}x`),
  bearer(''),
  basic(`${TOKENS[0]}:salah`),
  { Authorization: TOKENS[0] },
];
const RIGHT = [
  bearer(TOKENS[0]),
  bearer(TOKENS[1]),
  { Authorization: `bearer ${TOKENS[1]}` },
  basic(`:${TOKENS[0]}`),
];

const collect = (files: string[], headers: Record<string, string> = {}) =>
  uploads.send({
    method: 'POST',
    path: '/c',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: Buffer.from(JSON.stringify({ files })),
  });

describe.each(Object.entries(WAYS))('with tokens, %s', (_name, { upload, messageOf }) => {
  test('needs one, before the body, and says where it goes', async () => {
    for (const headers of WRONG) {
      const answer = await upload(uploads.origin, Buffer.from('halo'), headers);
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer /u);
      expect(messageOf(answer)).toContain('Authorization: Bearer TOKEN');
    }
    for (const headers of RIGHT) {
      const { status } = await upload(uploads.origin, Buffer.from('halo'), headers);
      expect(status).toBeLessThan(300);
    }
  });
});

test('with tokens, collections need one too; reading, deleting and reporting need none', async () => {
  const { page, file, deletion, id } = await uploads.upload('halo', { headers: bearer(TOKENS[0]) });
  expect((await collect([id])).status).toBe(401);
  const made = await collect([id], bearer(TOKENS[0]));
  const collection = new URL(made.json().result.url).pathname;
  for (const path of [page, file, deletion, `/r/${id}`, collection, `${collection}.zip`, '/'])
    expect((await uploads.send({ path })).status, path).toBe(200);
  const headers = { 'Content-Type': 'application/json' };
  const body = Buffer.from('{"reason":"spam"}');
  expect((await uploads.send({ method: 'POST', path: `/r/${id}`, headers, body })).status).toBe(202);
  expect((await uploads.send({ method: 'DELETE', path: deletion })).status).toBe(204);
});

test('only what is no script is offered the dialog of the browser', async () => {
  const challenge = async (mode: string) => {
    const answer = await uploads.send({ method: 'PUT', path: '/a', headers: { 'Sec-Fetch-Mode': mode } });
    return String(answer.headers['www-authenticate']);
  };
  expect(await challenge('navigate')).toContain('Basic ');
  expect(await challenge('cors')).not.toContain('Basic ');
  expect(await challenge('same-origin')).not.toContain('Basic ');
});

test('the front page asks for the token, and its programs show where it goes', async () => {
  const page = await uploads.send({ path: '/', headers: { Accept: 'text/html' } });
  expect(page.text).toContain('id="token"');
  expect(page.text).toContain('Authorization: Bearer TOKEN');
  const { Headers } = (await uploads.send({ path: '/sharex.sxcu' })).json();
  expect(Headers).toEqual({ Authorization: 'Bearer TOKEN' });
  expect(page.text + JSON.stringify(Headers)).not.toContain(TOKENS[0]);
});
