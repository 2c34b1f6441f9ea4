import { describe, expect, test } from 'vitest';
import { createCatalogue } from '../../src/demo/catalogue.ts';
import { DAYS, type OngoingAnime, PAGE_SIZE } from '../../src/domain/listing.ts';
import { HOUR, openTestRefresh } from '../support/refresh.ts';

type List = OngoingAnime[];
type Lie = (anime: List) => List;
type Field = keyof OngoingAnime;

const { anime: ANIME } = createCatalogue(new Date('2026-11-20T05:00:00Z'));
const HOST = 'https://one.example';

/** A refresh of the sample site's anime. `lie` changes only the cards of the list, not the texts of covers or the schedule. */
async function openScene() {
  const scene = await openTestRefresh();
  const { source } = scene;
  source.anime = ANIME.map((anime) => ({ ...anime, image: HOST + anime.image }));
  const lies = { lie: ((anime) => anime) as Lie, withoutAlts: false };
  source.alterOngoing = (page) => {
    const start = (page.number - 1) * PAGE_SIZE;
    const cards = lies.lie(source.anime).slice(start, start + PAGE_SIZE);
    return { ...page, cards, alts: lies.withoutAlts ? [] : page.alts };
  };
  const omitted = () =>
    scene.events.flatMap((one) => (one.type === 'card-omitted' ? [`${one.page} ${one.field}`] : []));
  return { ...scene, lies, omitted };
}

const shift =
  (...fields: Field[]): Lie =>
  (anime) =>
    rotate(anime, fields);

function rotate(anime: List, fields: Field[]): List {
  return anime.map((one, index) => ({ ...one, ...pick(anime.at(index - 1)!, fields) }));
}

function exchange(one: number, other: number, ...fields: Field[]): Lie {
  return (anime) =>
    anime
      .with(one, { ...anime[one]!, ...pick(anime[other]!, fields) })
      .with(other, { ...anime[other]!, ...pick(anime[one]!, fields) });
}

function pick(anime: OngoingAnime, fields: Field[]): Partial<OngoingAnime> {
  return Object.fromEntries(fields.map((field) => [field, anime[field]]));
}

const aired = (anime: OngoingAnime): OngoingAnime => ({
  ...anime,
  episode: anime.episode + 1,
  date: '21 Nov',
});

const all =
  (change: (anime: OngoingAnime, index: number) => Partial<OngoingAnime>): Lie =>
  (anime) =>
    anime.map((one, index) => ({ ...one, ...change(one, index) }));

const bySlug = (anime: List | undefined) => new Map(anime?.map((one) => [one.slug, one]));

describe('a page that contradicts itself', () => {
  const lies: [string, Lie][] = [
    ['titles shifted by a card', shift('title')],
    ['covers shifted by a card', shift('image')],
    ['addresses shifted by a card', shift('slug')],
    ['addresses and covers shifted by a card', shift('slug', 'image')],
    ['days shifted by a card', shift('day')],
    ['titles of one page shifted', (anime) => [...rotate(anime.slice(0, 25), ['title']), ...anime.slice(25)]],
    ['one title on every card', all(() => ({ title: 'Anime' }))],
    ['no anime with a day', all(() => ({ day: 'None' }))],
  ];

  test.each(lies)('waits at the first crawl, and is accepted with force: %s', async (_name, lie) => {
    const { lies, refresh, store } = await openScene();
    lies.lie = lie;
    await expect(refresh()).rejects.toThrow(/contradicts what is known: .* differs on \d+ of \d+ cards/u);
    expect(await store.readSnapshot()).toBeUndefined();
    expect(await refresh(true)).toMatchObject({ pages: 8 });
  });

  test.each(lies)('is refused when the covers have no text: %s', async (_name, lie) => {
    const { lies, refresh } = await openScene();
    await refresh();
    Object.assign(lies, { lie, withoutAlts: true });
    await expect(refresh()).rejects.toThrow(/contradicts what is known/u);
  });

  test.each<[string, Lie]>([
    ['titles', exchange(4, 5, 'title')],
    ['titles without a day', exchange(3, 7, 'title')],
    ['covers', exchange(4, 5, 'image')],
    ['covers without a day', exchange(3, 7, 'image')],
    ['addresses', exchange(4, 5, 'slug')],
    ['addresses without a day', exchange(3, 7, 'slug')],
    ['days', exchange(4, 5, 'day')],
    ['titles and covers', exchange(3, 7, 'title', 'image')],
  ])(
    'on two cards keeps their last good records, or leaves them out when there are none: %s',
    async (_name, lie) => {
      const known = await openScene();
      await known.refresh();
      const before = await known.store.readSnapshot();
      known.lies.lie = lie;
      await known.refresh();
      const after = await known.store.readSnapshot();
      expect(after?.schedule).toEqual(before?.schedule);
      expect(bySlug(after?.ongoing)).toEqual(bySlug(before?.ongoing));
      expect(known.omitted()).toHaveLength(2);

      const first = await openScene();
      first.lies.lie = lie;
      await first.refresh();
      const listed = (await first.store.readSnapshot())!.ongoing;
      expect(listed).toHaveLength(ANIME.length - 2);
      expect(first.source.anime).toEqual(expect.arrayContaining(listed));
    },
  );

  test('is refused when the schedule has other anime than the list', async () => {
    const { source, refresh } = await openScene();
    source.alterSchedule = (page) => ({
      ...page,
      groups: page.groups.map((group) => ({
        ...group,
        cards: group.cards.map((card) => ({ title: 'Lain', slug: `lain-${card.slug}` })),
      })),
    });
    const reason = /the ongoing list has 0 of the \d+ anime of the schedule/u;
    await expect(refresh()).rejects.toThrow(reason);
    await expect(refresh(true)).rejects.toThrow(reason);
  });

  test('is refused when the headings of the schedule are exchanged, also at the first crawl', async () => {
    const { source, refresh } = await openScene();
    const reverse = () => {
      source.alterSchedule = (page) => ({
        ...page,
        groups: page.groups.map(({ cards }, index) => ({ cards, day: DAYS.at(-1 - index)! })),
      });
    };
    reverse();
    await expect(refresh()).rejects.toThrow(/contradicts what is known: day/u);
    source.alterSchedule = (page) => page;
    await refresh();
    reverse();
    await expect(refresh()).rejects.toThrow(/the schedule contradicts what is known: day/u);
  });

  test('is refused when the schedule has one heading twice and lacks another one', async () => {
    const { source, refresh } = await openScene();
    source.alterSchedule = (page) => ({
      ...page,
      groups: page.groups.map((group, index) => (index === 1 ? { ...group, day: 'Senin' } : group)),
    });
    await expect(refresh()).rejects.toThrow(/the schedule contradicts what is known: day/u);
  });

  test('keeps the last good titles when the schedule has other titles for two anime', async () => {
    const { source, refresh, store, omitted } = await openScene();
    await refresh();
    const before = await store.readSnapshot();
    source.alterSchedule = (page) => ({
      ...page,
      groups: page.groups.map((group, index) => ({
        ...group,
        cards: index < 2 ? group.cards.with(1, { ...group.cards[1]!, title: 'Lain' }) : group.cards,
      })),
    });
    await refresh();
    expect(await store.readSnapshot()).toEqual(before);
    expect(omitted()).toEqual(['schedule title', 'schedule title']);
  });

  test('keeps the last good entries when two entries of the schedule are exchanged', async () => {
    const { source, refresh, store, omitted } = await openScene();
    await refresh();
    const before = await store.readSnapshot();
    source.alterSchedule = (page) => {
      const [senin, selasa, ...others] = page.groups as [(typeof page.groups)[0], (typeof page.groups)[0]];
      const groups = [
        { ...senin, cards: senin.cards.with(1, selasa.cards[2]!) },
        { ...selasa, cards: selasa.cards.with(2, senin.cards[1]!) },
      ];
      return { ...page, groups: [...groups, ...others] };
    };
    await refresh();
    expect(await store.readSnapshot()).toEqual(before);
    expect(omitted()).toEqual(['schedule day', 'schedule day']);
  });

  test('does not hold back page 1 when page 2 comes from an older cache', async () => {
    const { source, lies, refresh, slugs, store } = await openScene();
    await refresh();
    const old = source.anime;
    source.anime = [aired(old[40]!), ...old.toSpliced(40, 1)];
    lies.lie = (anime) => [...anime.slice(0, 25), ...old.slice(25, 50), ...anime.slice(50)];
    expect(await refresh()).toMatchObject({ changes: [{ type: 'new-episode', slug: old[40]!.slug }] });
    expect(await slugs()).toHaveLength(ANIME.length);
    expect(bySlug((await store.readSnapshot())?.ongoing)).toEqual(bySlug(source.anime));
  });
});

test('the younger of two readings of page 1 counts', async () => {
  const { source, refresh, lies, store } = await openScene();
  const old = source.anime;
  source.anime = old.with(4, aired(old[4]!));
  source.onRead = () => {
    if (source.reads.length === 8) lies.lie = () => old;
  };
  await refresh();
  expect(bySlug((await store.readSnapshot())?.ongoing).get(old[4]!.slug)).toEqual(source.anime[4]);
});

describe('a list that contradicts the last good one', () => {
  test.each<[string, Lie, RegExp]>([
    ['every episode is 1', all(() => ({ episode: 1 })), /episode differs on 1\d\d of 132/u],
    ['every date is the same', all(() => ({ date: '1 Jan' })), /date differs on 1\d\d of 132/u],
    ['dates are shifted', shift('date'), /date differs on/u],
    ['all cards have the same cover', all(() => ({ image: `${HOST}/x.jpg` })), /image differs on 132/u],
    [
      'every anime has another title',
      all((_, index) => ({ title: `Xyz ${index * 7_919}` })),
      /title differs on 132/u,
    ],
    ['episodes jump by hundreds', all(({ episode }) => ({ episode: episode + 500 })), /episode differs/u],
  ])('is refused when %s', async (_name, lie, reason) => {
    const { lies, refresh, store } = await openScene();
    await refresh();
    const before = await store.readSnapshot();
    Object.assign(lies, { lie, withoutAlts: true });
    await expect(refresh()).rejects.toThrow(reason);
    expect(await store.readSnapshot()).toEqual(before);
  });

  test.each<[string, Lie]>([
    [
      'an episode and its date fall back',
      all((_, index) => (index === 9 ? { episode: 1, date: '1 Jan' } : {})),
    ],
    ['two cards exchange their episodes', exchange(4, 5, 'episode')],
  ])('keeps the last good records when %s, until three crawls over six hours agree', async (_name, lie) => {
    const { clock, lies, refresh, store } = await openScene();
    await refresh();
    const before = await store.readSnapshot();
    lies.lie = lie;
    for (let crawl = 0; crawl < 2; crawl += 1) {
      expect(await refresh()).toMatchObject({ changes: [] });
      expect(await store.readSnapshot()).toEqual(before);
      clock.now += 3 * HOUR;
    }
    await refresh();
    expect(await store.readSnapshot()).not.toEqual(before);
  });

  test('is the truth once every episode has been 1 for six hours, and the other way round', async () => {
    const { clock, lies, refresh, source, store } = await openScene();
    await refresh();
    for (const lie of [all(() => ({ episode: 1 })), (anime: List) => anime]) {
      lies.lie = lie;
      const changes: unknown[] = [];
      for (let hour = 0; hour < 6; hour += 1) {
        await expect(refresh()).rejects.toThrow(/episode differs/u);
        clock.now += HOUR;
      }
      changes.push(...(await refresh()).changes);
      expect((await store.readSnapshot())?.ongoing).toEqual(lie(source.anime));
      expect(changes, 'nobody knows when these episodes came').toEqual([]);
    }
  });

  test('is accepted when two episodes fall back', async () => {
    const { lies, refresh } = await openScene();
    await refresh();
    lies.lie = all(({ episode }, index) => ({ episode: [8, 9].includes(index) ? episode - 1 : episode }));
    expect(await refresh()).toMatchObject({ anime: 132 });
  });
});

describe('a legitimate change is accepted', () => {
  async function acceptsAtOnce(change: (scene: Awaited<ReturnType<typeof openScene>>) => void) {
    const scene = await openScene();
    await scene.refresh();
    change(scene);
    await scene.refresh();
    expect(scene.omitted()).toEqual([]);
    expect((await scene.store.readSnapshot())?.ongoing).toEqual(scene.lies.lie(scene.source.anime));
  }

  test.each<[string, Lie]>([
    ['another title, which the schedule has too', all((_, index) => (index === 4 ? { title: 'Lain' } : {}))],
    ['another title of one without a day', all((_, index) => (index === 3 ? { title: 'Lain' } : {}))],
    ['a new host of all covers', all(({ image }) => ({ image: image.replace('one.', 'two.') }))],
    ['a cover that two anime share', all((_, index) => (index < 2 ? { image: `${HOST}/x.jpg` } : {}))],
    ['a new day, which the schedule has too', all((_, index) => (index === 4 ? { day: 'Random' } : {}))],
  ])('%s', async (_name, change) => {
    await acceptsAtOnce(({ source }) => {
      source.anime = change(source.anime);
    });
  });

  test('covers without a text, or with another text, also at the first crawl', async () => {
    const alterAlts = ({ source }: Awaited<ReturnType<typeof openScene>>) => {
      const { alterOngoing } = source;
      source.alterOngoing = (page) => ({
        ...alterOngoing(page),
        alts: page.alts.map((alt, index) => ['', 'cover', `${alt} BD`, 'My Star'][index % 4] ?? alt),
      });
    };
    await acceptsAtOnce(alterAlts);
    const first = await openScene();
    alterAlts(first);
    expect(await first.refresh()).toMatchObject({ anime: 132 });
    expect(first.omitted()).toEqual([]);
  });

  test('a title that only the card shows, although the clock was ahead at the first of the crawls', async () => {
    const { clock, lies, refresh, store } = await openScene();
    clock.now += 48 * HOUR;
    await refresh();
    lies.lie = all((_, index) => (index === 3 ? { title: 'Lain Sama Sekali' } : {}));
    await refresh();
    clock.now -= 48 * HOUR;
    await refresh();
    clock.now += 6 * HOUR;
    await refresh();
    expect((await store.readSnapshot())?.ongoing[3]?.title).toBe('Lain Sama Sekali');
  });
});

/** With addresses and covers that say nothing of the titles. */
const plainly = all((_, index) => ({ slug: `a-${index}`, image: `${HOST}/2026/01/${index}.jpg` }));

test.each<{ name: string; before?: Lie; truth?: Lie; lie?: Lie; isPending: boolean }>([
  {
    name: 'another spelling of every title',
    truth: all(({ title }) => ({ title: `${title.toUpperCase()}!` })),
    isPending: true,
  },
  {
    name: 'another size of all covers',
    truth: all(({ image }) => ({ image: image.replace('.jpg', '-225x318.jpg') })),
    isPending: true,
  },
  {
    name: 'new covers of all anime',
    truth: all((_, index) => ({ image: `${HOST}/wp-content/uploads/2026/12/${index}.jpg` })),
    isPending: true,
  },
  {
    name: 'other titles on all pages',
    truth: all((_, index) => ({ title: `Xyz ${index * 7_919}` })),
    isPending: true,
  },
  {
    name: 'a season that has ended',
    truth: (anime) => anime.filter((_, index) => index % 3 > 0),
    isPending: true,
  },
  {
    name: 'titles on the wrong cards',
    before: plainly,
    lie: (anime) => [...anime.slice(0, 50), ...rotate(anime.slice(50), ['title'])],
    isPending: true,
  },
  {
    name: 'covers on the wrong cards',
    before: plainly,
    lie: (anime) => [...anime.slice(0, 50), ...rotate(anime.slice(50), ['image'])],
    isPending: true,
  },
  { name: 'days on the wrong cards', before: plainly, lie: shift('day'), isPending: true },
  {
    name: 'titles of two anime that were exchanged by mistake',
    before: (anime) => exchange(3, 7, 'title')(plainly(anime)),
    truth: exchange(3, 7, 'title'),
    isPending: false,
  },
  {
    name: 'covers of two anime that were exchanged by mistake',
    before: (anime) => exchange(3, 7, 'image')(plainly(anime)),
    truth: exchange(3, 7, 'image'),
    isPending: false,
  },
  {
    name: 'a title that only the card shows',
    lie: all((_, index) => (index === 3 ? { title: 'Lain Sama Sekali' } : {})),
    isPending: false,
  },
  {
    name: 'a day that the schedule never shows',
    lie: all((_, index) => (index === 4 ? { day: 'Random' } : {})),
    isPending: false,
  },
])(
  '$name are the truth after three crawls over six hours',
  async ({ before = (anime) => anime, truth = (anime) => anime, lie = (anime) => anime, isPending }) => {
    const { clock, lies, source, refresh, store } = await openScene();
    const listed = async () => bySlug((await store.readSnapshot())?.ongoing);
    source.anime = before(source.anime);
    await refresh();
    const known = await listed();
    source.anime = truth(source.anime);
    lies.lie = lie;
    for (let crawl = 0; crawl < 2; crawl += 1) {
      if (isPending) await expect(refresh()).rejects.toThrow(/contradicts what is known/u);
      else await refresh();
      expect(await listed()).toEqual(known);
      clock.now += 3 * HOUR;
    }
    await refresh();
    expect(await listed()).toEqual(bySlug(lie(source.anime)));
    expect((await store.readStatus()).pending).toBeNull();
    expect((await store.readStatus()).belief.claims).toEqual({});
  },
);
