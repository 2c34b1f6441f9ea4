import { describe, expect, test } from 'vitest';
import type { AnimeEvent } from '../../src/domain/event.ts';
import { eventMessage, type Message, noticeMessage } from '../../src/outbox/webhooks/message.ts';
import type { ReceiverAddress } from '../../src/outbox/webhooks/receiver-address.ts';
import { postWebhook, requestsFor } from '../../src/outbox/webhooks/webhook-receiver.ts';
import { NOON } from '../support/outbox.ts';
import { LISTING_URL } from '../support/webhooks.ts';

const messageOf = (event: AnimeEvent) => eventMessage(event, { url: LISTING_URL });

const DISCORD: ReceiverAddress = {
  kind: 'discord',
  url: 'https://discord.com/api/webhooks/1/key?thread_id=2',
};
const TELEGRAM: ReceiverAddress = { kind: 'telegram', token: '1:key', chat: '-100' };
const NAGA = {
  slug: 'naga',
  title: 'Naga <b>_Kecil_</b> & @everyone',
  number: 7,
  at: NOON,
  image: 'https://source.example/naga.jpg',
  link: 'https://source.example/anime/naga/',
};
const AIRED = messageOf({ ...NAGA, type: 'new-episode', episode: 3, day: 'Jumat' });
const DOWN = noticeMessage({
  at: NOON,
  type: 'source.down',
  data: { state: 'blocked', since: null, reason: 'the source answered 403' },
});

const read = (address: ReceiverAddress, message: Message) =>
  requestsFor(address, message, { secret: null, now: NOON }).map(({ url, body }) => ({
    url,
    body: JSON.parse(String(body)),
  }));

test('a chat gets neither the link to a reported file nor the note', () => {
  const data = { id: 'abc', reason: 'illegal' as const, note: 'look', link: 'https://files.example/abc' };
  const message = noticeMessage({ at: NOON, type: 'upload.reported', data });
  for (const address of [DISCORD, TELEGRAM]) {
    const sent = JSON.stringify(read(address, message));
    expect(sent).toContain('abc');
    expect(sent).not.toMatch(/look|files\.example/u);
  }
});

describe('a message of Discord', () => {
  test('is an embed with the cover and the link, and one without the cover; it mentions nobody', () => {
    const [full, plain] = read(DISCORD, AIRED);
    expect(full?.url).toBe('https://discord.com/api/webhooks/1/key?thread_id=2&wait=true');
    const embed = {
      title: 'Naga \\<b\\>\\_Kecil\\_\\</b\\> & \\@everyone – Episode 3',
      description: 'Episode baru, Jumat',
      timestamp: '2026-11-20T12:00:00.000Z',
      url: NAGA.link,
    };
    expect(full?.body).toEqual({
      embeds: [{ ...embed, thumbnail: { url: NAGA.image } }],
      allowed_mentions: { parse: [] },
    });
    expect(plain?.body.embeds).toEqual([embed]);
  });

  test('says why the source is in trouble', () => {
    const [only, ...others] = read(DISCORD, DOWN);
    expect(others).toEqual([]);
    expect(only?.body.embeds[0]).toMatchObject({ description: 'the source answered 403' });
  });
});

describe('a message of Telegram', () => {
  test('is the cover with a caption, and a text alone', () => {
    const [photo, text] = read(TELEGRAM, AIRED);
    const caption = `<a href="${NAGA.link}"><b>Naga &lt;b&gt;_Kecil_&lt;/b&gt; &amp; @everyone – Episode 3</b></a>\nEpisode baru, Jumat`;
    expect(photo).toEqual({
      url: 'https://api.telegram.org/bot1:key/sendPhoto',
      body: { chat_id: '-100', parse_mode: 'HTML', photo: NAGA.image, caption },
    });
    expect(text).toMatchObject({
      url: 'https://api.telegram.org/bot1:key/sendMessage',
      body: { text: caption },
    });
  });

  test.each([
    [{ ...NAGA, type: 'added', episode: 1, day: 'None' }, 'Anime baru'],
    [{ ...NAGA, type: 'moved', from: 'None', to: 'Senin' }, 'Pindah dari tanpa hari ke Senin'],
    [{ ...NAGA, type: 'renamed', from: 'nagaa' }, 'Alamat halamannya di situs sumber berubah'],
    [{ ...NAGA, type: 'left' }, 'Tidak lagi di daftar yang sedang tayang'],
  ] as const)('says what has happened: %j', (event, text) => {
    expect(read(TELEGRAM, messageOf(event))[0]?.body.caption.split('\n')[1]).toBe(text);
  });

  test('has a title within the limit of the chat, without a character cut in half', () => {
    const event = { ...NAGA, title: '😀'.repeat(5_000), type: 'left' } as const;
    const [{ body } = expect.fail()] = read(TELEGRAM, messageOf(event));
    expect(body.caption.length).toBeLessThan(1_024);
    expect(body.caption.isWellFormed()).toBe(true);
    const escaped = messageOf({ ...event, title: '*'.repeat(5_000) });
    expect(read(DISCORD, escaped)[0]?.body.embeds[0].title.length).toBeLessThanOrEqual(256);
  });
});

describe('a chat that answers', () => {
  async function post(address: ReceiverAddress, answers: Response[]) {
    const urls: string[] = [];
    const fetch = async (url: string) => {
      urls.push(url);
      return answers[urls.length - 1] ?? Response.error();
    };
    const options = { client: { fetch: fetch as never }, secret: null, userAgent: 'x', now: () => NOON };
    const outcome = await postWebhook(address, AIRED, options, new AbortController().signal);
    return { outcome, methods: urls.map((url) => url.split('/').at(-1)) };
  }
  const answer = (status: number, body = '', headers = {}) => new Response(body, { status, headers });

  test('400 to a picture is followed by the message without it', async () => {
    const { outcome, methods } = await post(TELEGRAM, [answer(400), answer(200)]);
    expect([outcome.type, methods]).toEqual(['delivered', ['sendPhoto', 'sendMessage']]);
  });

  test('400 to the text as well ends the attempts of that message', async () => {
    const { outcome } = await post(DISCORD, [answer(400), answer(400)]);
    expect(outcome).toMatchObject({ type: 'refused', reason: 'it answered 400' });
  });

  test('429 delays the next attempt as long as it says', async () => {
    const body = '{"ok":false,"parameters":{"retry_after":35}}';
    const [telegram, discord] = [answer(429, body), answer(429, '', { 'retry-after': '7' })];
    expect((await post(TELEGRAM, [telegram])).outcome).toMatchObject({
      type: 'failed',
      retryAfterMs: 35_000,
    });
    expect((await post(DISCORD, [discord])).outcome).toMatchObject({ type: 'failed', retryAfterMs: 7_000 });
  });

  test('a failure does not show the address in its reason', async () => {
    const { outcome } = await post(TELEGRAM, []);
    expect(outcome.type).toBe('failed');
    expect(JSON.stringify(outcome)).not.toContain('key');
  });
});
