import { describe, expect, test } from 'vitest';
import { openNewsService } from '../../support/news.ts';
import { readJson } from '../../support/service.ts';
import { openOnce } from '../../support/until-end.ts';

const service = openOnce(openNewsService);

const ask = (query = '', headers = {}) => fetch(`${service.address}/api/anime/events${query}`, { headers });
const eventsSince = async (since: number) => (await readJson(ask(`?since=${since}`))).data;

describe('the list of events', () => {
  test('is empty after the first crawl', async () => {
    expect(await readJson(ask())).toEqual({
      status: true,
      data: {
        epoch: expect.stringMatching(/^[0-9a-z]+$/u),
        last: 0,
        complete: true,
        hasMore: false,
        events: [],
      },
    });
  });

  test('is never stale, unlike the copies of a state: a stale answer would say that nothing is new', async () => {
    for (const query of ['', '?since=0', '?since=7&epoch=0'])
      expect((await ask(query)).headers.get('cache-control')).toBe('public, max-age=5');
  });

  test('has numbered events of every type since any number', async () => {
    const { anime } = service.source.catalogue;
    const [aired, moved, gone] = [anime[0]!, anime.find((one) => one.day === 'Senin')!, anime.at(-1)!];
    aired.episode += 1;
    moved.day = 'Kamis';
    anime.pop();
    anime.push({ ...gone, slug: 'baru-sub-indo', title: 'Baru', image: gone.image });
    await service.refreshUntil(4);

    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u);
    const { events } = await eventsSince(0);
    expect(events.map(({ number }: { number: number }) => number)).toEqual([1, 2, 3, 4]);
    const { episode, day } = aired;
    expect(events).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'new-episode', slug: aired.slug, episode, day, at }),
        expect.objectContaining({ type: 'moved', slug: moved.slug, from: 'Senin', to: 'Kamis', at }),
        expect.objectContaining({ type: 'added', slug: 'baru-sub-indo', title: 'Baru', at }),
        expect.objectContaining({ type: 'left', slug: gone.slug, at }),
      ]),
    );
    for (const { slug, image, link } of events) {
      expect(link).toBe(`${service.source.origin}/anime/${slug}/`);
      expect(image).toMatch(/^http/u);
    }
    expect(await eventsSince(3)).toMatchObject({ last: 4, complete: true, events: [{ number: 4 }] });
    expect(await eventsSince(4)).toMatchObject({ last: 4, complete: true, events: [] });
  });

  test('is complete since a number of its epoch, and incomplete since one of another, or of the future', async () => {
    const { epoch, last } = await eventsSince(0);
    const isComplete = async (query: string) => (await readJson(ask(query))).data.complete;
    expect(await isComplete(`?since=${last - 1}&epoch=${epoch}`)).toBe(true);
    expect(await isComplete(`?epoch=${epoch}`)).toBe(true);
    for (const query of [`?since=${last - 1}&epoch=0`, '?epoch=0', '?since=1000'])
      expect(await isComplete(query)).toBe(false);
  });

  test('has none since now, and from there on each that comes', async () => {
    const now = (await readJson(ask('?since=now'))).data;
    const { epoch, last } = await eventsSince(0);
    expect(now).toEqual({ epoch, last, complete: true, hasMore: false, events: [] });
    service.airEpisode(2);
    await service.refreshUntil(last + 1);
    expect((await readJson(ask(`?since=${now.last}&epoch=${now.epoch}`))).data).toMatchObject({
      complete: true,
      events: [{ number: last + 1 }],
    });
  });

  test.each(['', 'A', '-', 'x'.repeat(33), '1&epoch=1'])('is 400 for the epoch %j', async (epoch) => {
    expect((await ask(`?since=1&epoch=${epoch}`)).status).toBe(400);
  });

  test.each(['x', '-1', '1.5', '', '01', '1&since=2', '9'.repeat(30)])('is 400 since %j', async (since) => {
    const response = await ask(`?since=${since}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ message: expect.stringContaining('since') });
  });

  test('is 304 when If-None-Match names the current version', async () => {
    const first = await ask('?since=1', { 'accept-encoding': 'identity' });
    expect(first.headers.get('access-control-allow-origin')).toBe('*');
    expect(first.headers.get('content-length')).toBe(String((await first.arrayBuffer()).byteLength));
    const again = await ask('?since=1', { 'if-none-match': first.headers.get('etag') });
    expect(again.status).toBe(304);
  });

  test('is compressed since 0 and since any other number', async () => {
    const encodings = ['', '?since=0', '?since=1'].map(async (query) => {
      return (await ask(query, { 'accept-encoding': 'gzip' })).headers.get('content-encoding');
    });
    expect(await Promise.all(encodings)).toEqual(['gzip', 'gzip', 'gzip']);
  });
});
