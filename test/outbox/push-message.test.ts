import { expect, test } from 'vitest';
import { createPushMessage } from '../../src/outbox/push/push-message.ts';
import { makeEvents } from '../support/webhook-store.ts';

const NOON = Date.parse('2026-11-20T12:00:00Z');
const [first, second, third] = makeEvents(1, 3, NOON);

test('one new episode has its cover, and several are one message', () => {
  const { slug, title, image } = first!;
  const one = createPushMessage([first!, second!], [slug]);
  expect(one).toEqual({ id: expect.any(String), anime: [{ slug, title, episode: 1, image }], count: 1 });
  const several = createPushMessage([first!, second!, third!], [slug, third!.slug, 'another']);
  expect(several).toMatchObject({ anime: [{ episode: 1 }, { episode: 3 }], count: 2 });
  expect(several?.id).not.toBe(one?.id);
});

test('two episodes of one anime are one, the newest', () => {
  const later = { ...second!, slug: first!.slug, episode: 9 };
  expect(createPushMessage([first!, later] as never, [first!.slug])?.anime).toMatchObject([{ episode: 9 }]);
});

test('what is not followed, leaves, moves or returns is no message', () => {
  const { slug, title } = first!;
  const of = (event: object) => createPushMessage([{ ...first!, ...event } as never], [slug]);
  expect(createPushMessage([first!], [second!.slug])).toBeUndefined();
  expect(of({ type: 'left', slug, title })).toBeUndefined();
  expect(of({ type: 'moved' })).toBeUndefined();
  expect(of({ type: 'added', isReturn: true })).toBeUndefined();
  expect(of({ type: 'added' })).toBeDefined();
});

test('the longest message fits into one record', () => {
  const events = makeEvents(1, 40, NOON).map((event) => ({
    ...event,
    slug: `${event.slug}${'x'.repeat(190)}`,
    title: '龍'.repeat(500),
    image: `https://source.example/${'x'.repeat(5_000)}`,
  }));
  const slugs = events.map(({ slug }) => slug);
  const all = createPushMessage(events, slugs);
  expect(all).toMatchObject({ count: 40, anime: { length: 5 } });
  expect(Buffer.byteLength(JSON.stringify(all))).toBeLessThan(3_993);
  expect(Buffer.byteLength(JSON.stringify(createPushMessage(events, slugs.slice(0, 1))))).toBeLessThan(3_993);
});
