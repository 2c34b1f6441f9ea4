import { describe, expect, test } from 'vitest';
import { makeAnime } from '../support/fake-source.ts';
import { HOUR, openTestRefresh } from '../support/refresh.ts';

type Scene = Awaited<ReturnType<typeof openTestRefresh>>;

describe('a changing listing with fewer than half of the entries', () => {
  test('is not accepted while each crawl shows something else', async () => {
    const { clock, source, refresh } = await openTestRefresh();
    await refresh();
    for (let crawl = 1; crawl < 6; crawl += 1) {
      source.anime = source.anime.map((anime) => ({ ...anime, episode: anime.episode + crawl }));
      await expect(refresh()).rejects.toThrow(/contradicts what is known/u);
      clock.now += 3 * HOUR;
    }
  });
});

describe('an address on two cards with different titles', () => {
  test('is reported for the ongoing list and for the schedule', async () => {
    const scene = await openTestRefresh();
    const twin = { ...makeAnime(3), title: 'Judul 3 (TV)' };
    scene.source.alterOngoing = (page) =>
      page.number === 2 ? { ...page, cards: page.cards.with(4, twin) } : page;
    scene.source.alterSchedule = (page) => ({
      ...page,
      groups: page.groups.map((group) =>
        group.day === twin.day
          ? { ...group, cards: [...group.cards, { title: twin.title, slug: twin.slug }] }
          : group,
      ),
    });
    await scene.refresh();
    const told = { field: 'slug', found: expect.stringContaining(twin.title), kept: false };
    expect(scene.events).toContainEqual(
      expect.objectContaining({ type: 'card-omitted', page: 'ongoing page 2', ...told }),
    );
    expect(scene.events).toContainEqual(
      expect.objectContaining({ type: 'card-omitted', page: 'schedule', ...told }),
    );
    const snapshot = await scene.store.readSnapshot();
    expect(snapshot?.ongoing.find(({ slug }) => slug === twin.slug)?.title).toBe('Judul 3');
  });
});

describe('a new episode', () => {
  const setEpisode = ({ source }: Scene, episode: number) => {
    source.anime = source.anime.with(5, { ...source.anime[5]!, episode });
  };
  const toldBy = async ({ refresh }: Scene) =>
    (await refresh()).changes.flatMap((change) => (change.type === 'new-episode' ? [change.episode] : []));

  test('is an event once, however often the source reverts it', async () => {
    const scene = await openTestRefresh();
    setEpisode(scene, 21);
    await scene.refresh();
    setEpisode(scene, 20);
    expect(await toldBy(scene)).toEqual([]);
    setEpisode(scene, 21);
    expect(await toldBy(scene)).toEqual([]);
    setEpisode(scene, 22);
    expect(await toldBy(scene)).toEqual([22]);
    setEpisode(scene, 20);
    expect(await toldBy(scene)).toEqual([]);
    setEpisode(scene, 22);
    expect(await toldBy(scene)).toEqual([]);
  });

  test('is not an event again when the anime left the list and came back', async () => {
    const scene = await openTestRefresh();
    setEpisode(scene, 21);
    await scene.refresh();
    const [anime] = scene.source.anime.splice(5, 1);
    await scene.refresh();
    scene.source.anime.splice(5, 0, { ...anime!, episode: 20 });
    expect(await toldBy(scene)).toEqual([]);
    setEpisode(scene, 21);
    expect(await toldBy(scene)).toEqual([]);
    setEpisode(scene, 22);
    expect(await toldBy(scene)).toEqual([22]);
  });
});
