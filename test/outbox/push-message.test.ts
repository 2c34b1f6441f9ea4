import { expect, test } from 'vitest';
import type { AnimeEvent } from '../../src/domain/event.ts';
import { listNews } from '../../src/outbox/news.ts';
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

test('several episodes of one anime are all named, the lowest first, whatever their order', () => {
  const { slug } = first!;
  const events = [9, 8, 9].map((episode, index) => ({ ...first!, number: index, episode })) as AnimeEvent[];
  const message = createPushMessage(events, [slug]);
  expect(message).toMatchObject({ anime: [{ slug, episode: 9, episodes: [8, 9] }], count: 1 });
  expect(createPushMessage(events.slice(0, 2), [slug])?.id).toBe(message?.id);
  expect(createPushMessage(events.slice(0, 1), [slug])?.id).not.toBe(message?.id);
  expect(createPushMessage(events.slice(0, 1), [slug])?.anime[0]).not.toHaveProperty('episodes');
});

test('an anime that is added with its first episodes is one message about these', () => {
  const { slug } = first!;
  const episodes = [1, 2, 3].map((episode) => ({ ...first!, number: 1 + episode, episode }) as AnimeEvent);
  const added = { ...first!, type: 'added', number: 1, episode: 3, hasEpisodes: true } as AnimeEvent;
  const events = [added, ...episodes];
  const news = listNews({ events, renamed: new Map() }, events);
  expect(news).toEqual(episodes);
  expect(createPushMessage(events, [slug])?.anime).toMatchObject([{ episode: 3, episodes: [1, 2, 3] }]);
});

test('an episode that an anime was added with is no news when its page has all of them, even by a former slug', () => {
  const added = { ...first!, type: 'added', number: 1, episode: 2, slug: 'former' } as AnimeEvent;
  const later = [1, 2, 3].map((episode) => ({ ...first!, number: 1 + episode, episode }) as AnimeEvent);
  const log = { events: [added, ...later], renamed: new Map([['former', first!.slug]]) };
  expect(listNews(log, [added])).toEqual([added]);
  expect(listNews(log, later)).toEqual([later[0], later[2]]);
  const other = { ...log, renamed: new Map() };
  expect(listNews(other, later)).toEqual(later);
});

test('a former slug stands for the new one, in a subscription and in events', () => {
  const { slug } = first!;
  const renamed = new Map([['former', slug]]);
  const events = [
    { ...first!, slug: 'former', episode: 8 },
    { ...first!, episode: 9 },
  ] as AnimeEvent[];
  for (const followed of [['former'], [slug], ['former', slug]])
    expect(createPushMessage(events, followed, renamed)).toMatchObject({
      anime: [{ slug, episodes: [8, 9] }],
      count: 1,
    });
  expect(createPushMessage(events, ['another'], renamed)).toBeUndefined();
});

test('what is not followed, leaves, moves or returns is no message', () => {
  const { slug, title } = first!;
  const of = (event: object) => createPushMessage([{ ...first!, ...event } as never], [slug]);
  expect(createPushMessage([first!], [second!.slug])).toBeUndefined();
  expect(of({ type: 'left', slug, title })).toBeUndefined();
  expect(of({ type: 'moved' })).toBeUndefined();
  expect(of({ type: 'added', isReturn: true })).toBeUndefined();
  expect(of({ type: 'renamed', from: 'former' })).toBeUndefined();
  expect(of({ type: 'added' })).toBeDefined();
});

test('the longest message fits into one record', () => {
  const events = makeEvents(1, 40, NOON).flatMap((event) =>
    Array.from({ length: 40 }, (_, index) => ({
      ...event,
      episode: 1_000 + index,
      slug: `${event.slug}${'x'.repeat(190)}`,
      title: '龍'.repeat(500),
      image: `https://source.example/${'x'.repeat(5_000)}`,
    })),
  ) as AnimeEvent[];
  const slugs = [...new Set(events.map(({ slug }) => slug))];
  const all = createPushMessage(events, slugs);
  expect(all).toMatchObject({ count: 40, anime: { length: 5 } });
  expect(Buffer.byteLength(JSON.stringify(all))).toBeLessThan(3_993);
  expect(Buffer.byteLength(JSON.stringify(createPushMessage(events, slugs.slice(0, 1))))).toBeLessThan(3_993);
});
