import { describe, expect, onTestFinished, test } from 'vitest';
import { openModerator } from '../../support/moderator.ts';
import { type Answer, openOnce, openUploads, type Sending } from '../../support/upload-client.ts';
import { newId } from '../../support/uploads.ts';
import CASES from './reports.json' with { type: 'json' };

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
/** The type that a case is sent as: `form`, or `json` with or without a charset. */
const typeOf = (name: string) => (name === 'form' ? FORM : name.replace('json', JSON_TYPE));

/** Each report is of an address of its own, but where a test says otherwise. */
let lastHost = 0;

const uploads = openOnce((defer) => openUploads(defer, { TRUST_PROXY: '1' }));

const otherAddress = () => {
  lastHost += 1;
  return `198.51.${lastHost >> 8}.${lastHost & 255}`;
};

function report(id: string, body: string, type = FORM, more: Sending['headers'] = {}): Promise<Answer> {
  const headers = { 'Content-Type': type, 'X-Forwarded-For': otherAddress(), ...more };
  return uploads.send({ method: 'POST', path: `/r/${id}`, headers, body: Buffer.from(body) });
}

async function reportsOf(id: string) {
  return (await openModerator(uploads.dataDir, onTestFinished)).reports(id);
}

describe('a report of a file', () => {
  test.each(CASES.accepted as [string, string][])(
    'as %s is accepted, and stored without the address of its sender',
    async (type, body) => {
      const { id } = await uploads.upload();
      const answer = await report(id, body, typeOf(type));
      expect(answer.status).toBe(202);
      expect(answer.json()).toEqual({ status: true, message: expect.stringContaining('passed on') });
      expect(await reportsOf(id)).toEqual([
        { id, reason: 'copyright', note: 'bab 12\ndari buku saya', at: expect.any(Number) },
      ]);
    },
  );

  test('needs no note, and may have one of 2,000 characters in any script and encoding', async () => {
    const { id } = await uploads.upload();
    const long = '🌸'.repeat(2_000);
    const escaped = long.replace(/./gsu, '\\ud83c\\udf38');
    const bodies = [
      ['reason=other', FORM],
      ['{"reason":"other"}', JSON_TYPE],
      [`reason=other&note=${encodeURIComponent(long)}`, FORM],
      [`{"reason":"other","note":"${escaped}"}`, JSON_TYPE],
      [`reason=other&note=${'%0D%0A'.repeat(2_000)}`, FORM],
    ] as const;
    for (const [body, type] of bodies) expect((await report(id, body, type)).status).toBe(202);
    const notes = (await reportsOf(id)).map(({ note }) => [...note].length);
    expect(notes.toSorted()).toEqual([0, 0, 2_000, 2_000, 2_000]);
  });

  test.each([
    ...(CASES.refused as [string, string, string, string][]),
    ['a note of 2,001 characters', 'form', `reason=spam&note=${'x'.repeat(2_001)}`, 'yours has 2001'],
    ['deep nesting', 'json', '['.repeat(10_000), 'JSON object'],
  ])('with %s is 400, and says what to send', async (_what, type, body, message) => {
    const { id } = await uploads.upload();
    const answer = await report(id, body, typeOf(type));
    expect([answer.status, answer.json().status]).toEqual([400, false]);
    expect(answer.json().message).toContain(message);
    expect(await reportsOf(id)).toEqual([]);
  });

  test('that is not UTF-8 is 400, of another type 415, and above 32 KB 413, whether or not its length is announced', async () => {
    const { id } = await uploads.upload();
    const sending = (more: Sending) => uploads.send({ method: 'POST', path: `/r/${id}`, ...more });
    const type = { 'Content-Type': FORM };
    const large = Buffer.alloc(100_000, 'x');
    expect((await sending({ headers: type, body: Buffer.of(0xff) })).status).toBe(400);
    expect((await sending({ headers: { 'Content-Type': 'text/plain' }, body: large })).status).toBe(415);
    expect((await sending({ body: large })).status).toBe(415);
    expect((await sending({ headers: type, body: large })).status).toBe(413);
    expect((await sending({ headers: type, body: large, isChunked: true })).status).toBe(413);
  });

  test('gets 100 Continue when its client waits for that, unless it is too large', async () => {
    const { id } = await uploads.upload();
    const head = (bytes: number) =>
      `POST /r/${id} HTTP/1.1\r\nHost: x\r\nContent-Type: ${FORM}\r\nExpect: 100-continue\r\nContent-Length: ${bytes}\r\n\r\n`;
    const { socket, received } = await uploads.openSocket();
    socket.write(head(11));
    await expect.poll(received).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write('reason=spam');
    await expect.poll(received).toMatch(/\r\nHTTP\/1\.1 202 Accepted\r\n/u);
    const other = await uploads.openSocket();
    other.socket.write(head(100_000));
    await expect.poll(() => other.received()).toMatch(/^HTTP\/1\.1 413 /u);
  });

  test('is 404 for a missing or deleted file, and 410 for an expired one', async () => {
    const { id, deletion } = await uploads.upload();
    await report(id, 'reason=spam');
    await uploads.send({ method: 'DELETE', path: deletion });
    expect((await report(id, 'reason=spam')).status).toBe(404);
    expect(await reportsOf(id)).toEqual([]);
    expect((await report('tidak-ada', 'reason=spam')).status).toBe(404);
    expect((await report('%2e%2e%2fetc', 'reason=spam')).status).toBe(404);
    expect((await report(newId(Date.now() - 1), 'reason=spam')).status).toBe(410);
    expect((await uploads.send({ method: 'PUT', path: `/r/${id}` })).status).toBe(405);
  });
});

describe('an address', () => {
  const from = (address: string) => ({ 'X-Forwarded-For': address });
  test('may send ten reports an hour; refused ones do not count', async () => {
    const { id } = await uploads.upload();
    const address = '203.0.113.7';
    for (let i = 0; i < 3; i += 1) await report(id, 'reason=boring', FORM, from(address));
    for (let i = 0; i < 10; i += 1)
      expect((await report(id, 'reason=spam', FORM, from(address))).status).toBe(202);
    const refused = await report(id, 'reason=spam', FORM, from(`::ffff:${address}`));
    expect(refused.status).toBe(429);
    expect(refused.json().message).toMatch(/try again in (?:59|60) minutes/u);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000);
    expect((await report(id, 'reason=spam')).status).toBe(202);
    expect((await uploads.upload('y', { headers: from(address) })).id).toBeDefined();
  });

  test('of IPv6 counts by its /64, for concurrent reports as well', async () => {
    const { id } = await uploads.upload();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, host) => report(id, 'reason=spam', FORM, from(`2001:db8:7::${host}`))),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(10);
    expect((await report(id, 'reason=spam', FORM, from('2001:db8:7:1::1'))).status).toBe(202);
  });
});

describe('people', () => {
  const HTML = { Accept: 'text/html', 'Accept-Language': 'id' };

  test('find a link on the page of every file, and a form in their language that needs no script', async () => {
    const { id, page } = await uploads.upload('x', { name: '<b>nama.txt' });
    const { text } = await uploads.send({ path: page, headers: HTML });
    expect(text).toContain(`<a href="/r/${id}?lang=id" rel="nofollow">Laporkan file ini</a>`);
    const form = await uploads.send({ path: `/r/${id}?lang=id`, headers: HTML });
    expect([form.status, form.headers['content-language']]).toEqual([200, 'id']);
    expect(form.text).toContain(`<form class="card" method="post" action="/r/${id}?lang=id">`);
    expect(form.text).toContain('&lt;b&gt;nama.txt');
    expect(form.text.match(/<input type="radio" name="reason" value="\w+" required>/gu)).toHaveLength(6);
    // The script only keeps the language.
    expect(form.text.match(/<script[^>]*>/gu)).toEqual(['<script src="/assets/language.js" type="module">']);
    const english = await uploads.send({ path: `/r/${id}?lang=en`, headers: HTML });
    expect(english.text).toContain('Send the report');
  });

  test('get a page for their report, and for one that is refused', async () => {
    const { id } = await uploads.upload();
    const thanks = await report(id, 'reason=spam', FORM, HTML);
    expect([thanks.status, thanks.headers['content-type']]).toEqual([202, 'text/html; charset=utf-8']);
    expect(thanks.text).toContain('<h1>Terima kasih</h1>');
    const refused = await report(id, 'reason=boring', FORM, HTML);
    expect([refused.status, refused.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8']);
  });
});
