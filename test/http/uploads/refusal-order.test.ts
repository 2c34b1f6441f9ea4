import { describe, expect, test } from 'vitest';
import { openModerator } from '../../support/moderator.ts';
import { createdUpload, OFFSET_STREAM } from '../../support/resumable.ts';
import { eventually } from '../../support/service.ts';
import {
  expectRefusal,
  filePart,
  MULTIPART,
  multipart,
  openOnce,
  openUploads,
  type TestUploads,
} from '../../support/upload-client.ts';
import { DIALECTS, neko, WAYS } from '../../support/upload-ways.ts';

const LIMITS = { UPLOAD_MAX_SIZE: '1 MB' };
const uploads = openOnce((defer) => openUploads(defer, LIMITS));

describe('a request with several mistakes gets', () => {
  const HUGE = { 'Content-Length': '1000000000' };
  const BAD_LIFE = '?expires=never';
  const SENDER = /uploads from your address are not accepted/u;
  const blockedSender = openOnce(async (defer) => {
    const opened = await openUploads(defer, LIMITS);
    await (await openModerator(opened.dataDir, defer)).block(['address:127.0.0.0/8']);
    const isFollowed = () => WAYS['POST /upload']!.upload(opened.origin, Buffer.from('x'));
    await eventually(isFollowed, ({ status }) => status === 403);
    return opened;
  });

  /** Sends only the head of a request, because it shows every mistake. */
  async function refusalOf({ openSocket }: TestUploads, line: string, headers: Record<string, string>) {
    const { socket, received } = await openSocket();
    const lines = Object.entries({ Host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`${line} HTTP/1.1\r\n${lines.join('')}\r\n`);
    await expect.poll(received).toMatch(/\r\n\r\n.+/su);
    return received();
  }

  const paths = Object.values({ '/upload': { ...neko, path: '/upload' }, ...DIALECTS }).map(
    ({ path }) => path,
  );
  const TUS = { 'Tus-Resumable': '1.0.0', 'Upload-Length': '99999999999' };
  const OCTETS = 'application/offset+octet-stream';
  const FORM = { 'Content-Type': MULTIPART, ...HUGE };
  const GZIP = { 'Content-Encoding': 'gzip' };
  const ROWS: [status: number, line: string, headers: Record<string, string>, words?: RegExp][] = [
    ...paths.flatMap((path): typeof ROWS => {
      const line = `POST ${path}`;
      const wrongLife = `${line}${path.includes('?') ? BAD_LIFE.replace('?', '&') : BAD_LIFE}`;
      return [
        [415, wrongLife, { ...FORM, ...GZIP, 'Content-Type': 'image/png' }],
        [415, wrongLife, { ...FORM, ...GZIP }, /Content-Encoding gzip is not supported/u],
        [400, line, { ...FORM, 'Content-Type': 'multipart/form-data' }, /boundary/u],
        [400, wrongLife, FORM, /expires/u],
        [413, line, FORM],
      ];
    }),
    [415, `POST /files${BAD_LIFE}`, { ...TUS, ...HUGE, 'Content-Type': 'image/png', 'Upload-Length': 'x' }],
    [
      415,
      `POST /files${BAD_LIFE}`,
      { ...TUS, ...HUGE, ...GZIP, 'Content-Type': OCTETS },
      /Content-Encoding gzip/u,
    ],
    [400, `POST /files${BAD_LIFE}`, { ...TUS, ...HUGE, 'Content-Type': OCTETS }, /expires/u],
    [413, 'POST /files', { ...TUS, ...HUGE, 'Content-Type': OCTETS }],
  ];

  test.each(ROWS)('%i for %s %j', async (status, line, headers, words = /./u) => {
    const refusal = await refusalOf(uploads, line, headers);
    expect(refusal).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `, 'u'));
    expect(refusal).toMatch(words);
  });

  test.each([
    ...ROWS,
    [412, 'POST /files', { 'Content-Type': OCTETS }],
    [412, 'PATCH /files/x', {}],
  ] as typeof ROWS)(
    '403 for a sender that is blocked, before %i for %s %j',
    async (_status, line, headers) => {
      const refusal = await refusalOf(blockedSender, line, headers);
      expect(refusal).toMatch(/^HTTP\/1\.1 403 /u);
      expect(refusal).toMatch(SENDER);
    },
  );
});

describe('a Content-Encoding', () => {
  test.each(['gzip', 'GZIP', 'br', 'x', 'identity, gzip', 'deflate, identity'])(
    'of %s is 415',
    async (encoding) => {
      for (const isChunked of [false, true]) {
        const answer = await uploads.post(multipart(filePart('a', 'x')), {
          headers: { 'Content-Encoding': encoding },
          isChunked,
        });
        expectRefusal(answer, 415);
        expect(answer.json().message).toMatch(
          /Content-Encoding \S+ is not supported; send the body as it is/u,
        );
      }
      await uploads.expectNothingLeft();
    },
  );

  test.each(['identity', 'Identity', 'identity, identity', ''])('of "%s" is none', async (encoding) => {
    const answer = await uploads.post(multipart(filePart('a', 'x')), {
      headers: { 'Content-Encoding': encoding },
    });
    expect(answer.status).toBe(200);
  });

  test.each(['/r/', '/files/'])('is 415 below %s too', async (path) => {
    const isReport = path === '/r/';
    const own: Record<string, string> = isReport ? { 'Content-Type': 'application/json' } : OFFSET_STREAM;
    const target = isReport ? `/r/${(await uploads.upload('x')).id}` : await createdUpload(uploads.origin, 4);
    const answer = await uploads.send({
      method: isReport ? 'POST' : 'PATCH',
      path: target,
      headers: { ...own, 'Upload-Offset': '0', 'Content-Encoding': 'gzip' },
      body: Buffer.from('{}'),
    });
    expect([answer.status, answer.json().message]).toEqual([
      415,
      expect.stringMatching(/Content-Encoding gzip/u),
    ]);
  });
});
