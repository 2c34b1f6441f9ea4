import { describe, expect, test } from 'vitest';
import { recordEpisodes } from '../../src/crawler/next-listing.ts';
import type { EpisodeHistory } from '../../src/domain/episode-history.ts';
import type { Change } from '../../src/domain/event.ts';
import { makeAnime } from '../support/fake-source.ts';
import { HOUR, openTestRefresh, PEEK_MS } from '../support/refresh.ts';

const newEpisode = (slug: string, episode: number): Change => ({
  type: 'new-episode',
  slug,
  title: slug,
  episode,
  day: 'Senin',
});

describe('the history of episodes', () => {
  test('has the newest 13 episodes of an anime, newest first, each once', () => {
    let history: EpisodeHistory = {};
    for (let episode = 1; episode <= 20; episode += 1)
      history = recordEpisodes(history, [newEpisode('naga', episode)], episode * HOUR);
    history = recordEpisodes(history, [newEpisode('naga', 20)], 99 * HOUR);
    expect(history.naga).toHaveLength(13);
    expect(history.naga?.[0]).toEqual({ episode: 20, seenAt: 20 * HOUR });
    expect(history.naga?.at(-1)).toEqual({ episode: 8, seenAt: 8 * HOUR });
  });

  test('has no sighting of an anime that moved or left', () => {
    const known = { slug: 'naga', title: 'Naga' };
    const changes: Change[] = [
      { type: 'moved', ...known, from: 'Senin', to: 'Rabu' },
      { type: 'left', ...known },
    ];
    expect(recordEpisodes({}, changes, HOUR)).toEqual({});
  });

  test('has the episodes that a peek or a crawl saw appear, and not those of the first list', async () => {
    const { source, store, clock, refresh, peek } = await openTestRefresh();
    await refresh();
    expect((await store.readSnapshot())?.episodeHistory).toEqual({});
    clock.now += PEEK_MS;
    source.anime.unshift(makeAnime(99));
    await peek();
    expect((await store.readSnapshot())?.episodeHistory).toEqual({
      'judul-99': [{ episode: makeAnime(99).episode, seenAt: clock.now }],
    });
  });
});
