import { describe, expect, test } from 'vitest';
import { listAbsent } from '../../src/belief/rivals.ts';
import { createCatalogue } from '../../src/demo/catalogue.ts';
import { DAYS, type OngoingAnime, PAGE_SIZE } from '../../src/domain/listing.ts';
import type { SchedulePage } from '../../src/source/source.ts';
import { HOUR, openTestRefresh } from '../support/refresh.ts';
import { statusOf } from '../support/status.ts';
import CASES from './contradictions.json' with { type: 'json' };

type List = OngoingAnime[];
type Field = keyof OngoingAnime;
type Groups = SchedulePage['groups'];

/** A change of a list. Cards are counted from 0. */
interface Lie {
  /** Each card from `from` up to `to` gets these fields of the card before it. */
  shift?: Field[];
  from?: number;
  to?: number;
  /** Two cards exchange these fields. */
  exchange?: [number, number];
  fields?: Field[];
  /** Fields of the cards `at`, or of all. `+1` is added; `{index}`, `{random}` and `{title}` are filled in. */
  set?: Partial<Record<Field, string | number>>;
  at?: number[];
  /** A field in which the first text is replaced by the second one. */
  replace?: [Field, string, string];
  /** Of so many anime, one is gone. */
  endEvery?: number;
}

interface Case {
  name: string;
  /** What the site shows before, and what it shows then: in the list, in the schedule and in the texts of covers. */
  before?: Lie[];
  truth?: Lie;
  /** What then only the cards of the list show. */
  lie?: Lie;
  /** Refused until it has lasted; accepted with the last good records until then; or believed at once. */
  outcome: 'pending' | 'kept' | 'news';
  /** Part of the reason of the refusal. */
  reason?: string;
  /** Whether it is refused, or two cards are left out, at the first crawl too. */
  atFirst?: boolean;
}

const { anime: ANIME } = createCatalogue(new Date('2026-11-20T05:00:00Z'));

function apply(lie: Lie | undefined, anime: List): List {
  const { shift = [], from = 0, to = anime.length, exchange, fields = [], set = {}, at, replace } = lie ?? {};
  const [one = -1, other = -1] = exchange ?? [];
  const partner = new Map([
    [one, other],
    [other, one],
  ]);
  const shown = anime.map((card, index): OngoingAnime => {
    const before = index === from ? anime[to - 1] : anime[index - 1];
    const isShifted = index >= from && index < to;
    const isSet = !at || at.includes(index);
    return {
      ...card,
      ...pick(before, isShifted ? shift : []),
      ...pick(anime[partner.get(index) ?? -1], fields),
      ...(isSet &&
        Object.fromEntries(Object.entries(set).map(([key, value]) => [key, fill(value, card, index)]))),
      ...(replace && { [replace[0]]: `${card[replace[0]]}`.replace(replace[1], replace[2]) }),
    };
  });
  return lie?.endEvery ? shown.filter((_, index) => index % lie.endEvery! > 0) : shown;
}

function fill(value: string | number, { episode, title }: OngoingAnime, index: number): string | number {
  if (typeof value === 'number') return value;
  if (/^[+-]\d+$/u.test(value)) return episode + Number(value);
  return value
    .replace('{index}', `${index}`)
    .replace('{random}', `${index * 7_919}`)
    .replace('{title}', title);
}

const pick = (anime: OngoingAnime | undefined, fields: Field[]) =>
  anime && Object.fromEntries(fields.map((field) => [field, anime[field]]));

/** A refresh of the sample site's anime. `lie` changes only the cards of the list, not the texts of covers or the schedule. */
async function openScene() {
  const scene = await openTestRefresh();
  const { source } = scene;
  source.anime = ANIME.map((anime) => ({ ...anime, image: `https://one.example${anime.image}` }));
  const lies = { lie: (anime: List) => anime, withoutAlts: false };
  source.alterOngoing = (page) => {
    const start = (page.number - 1) * PAGE_SIZE;
    const cards = lies.lie(source.anime).slice(start, start + PAGE_SIZE);
    return { ...page, cards, alts: lies.withoutAlts ? [] : page.alts };
  };
  const omitted = () =>
    scene.events.flatMap((one) => (one.type === 'card-omitted' ? [`${one.page} ${one.field}`] : []));
  const listed = async () => bySlug((await scene.store.readSnapshot())?.ongoing);
  return { ...scene, lies, omitted, listed };
}

const aired = (anime: OngoingAnime): OngoingAnime => ({
  ...anime,
  episode: anime.episode + 1,
  date: '21 Nov',
});
const bySlug = (anime: List | undefined) => new Map(anime?.map((one) => [one.slug, one]));

describe.each(CASES as Case[])('$name', ({ before = [], truth, lie, outcome, reason = '', atFirst }) => {
  const refusal = new RegExp(`contradicts what is known: .*${reason}`, 'u');
  const variants = outcome === 'news' ? ['with'] : ['with', 'without'];

  test.each(variants)(
    `is ${outcome}, and the truth after three crawls over six hours: %s texts of covers`,
    async (texts) => {
      const { clock, lies, source, refresh, store, listed, omitted } = await openScene();
      source.anime = before.reduce((anime, one) => apply(one, anime), source.anime);
      await refresh();
      const known = await listed();
      const { schedule } = (await store.readSnapshot())!;
      source.anime = apply(truth, source.anime);
      Object.assign(lies, { lie: (anime: List) => apply(lie, anime), withoutAlts: texts === 'without' });
      for (let crawl = 0; crawl < 2; crawl += 1) {
        if (outcome === 'pending') await expect(refresh()).rejects.toThrow(refusal);
        else await refresh();
        if (outcome !== 'news') {
          expect(await listed()).toEqual(known);
          expect((await store.readSnapshot())?.schedule).toEqual(schedule);
        }
        clock.now += 3 * HOUR;
      }
      if (outcome === 'news') expect(omitted()).toEqual([]);
      if (outcome === 'kept' && atFirst) expect(omitted()).toHaveLength(4);
      await refresh();
      // An anime whose place is where two pages meet may be on neither of them.
      const { pending, belief } = await statusOf(store);
      const unseen = [...listAbsent(belief)].map((slug) => [slug, known.get(slug)!] as const);
      expect(unseen.length).toBeLessThanOrEqual(truth?.endEvery ? 1 : 0);
      expect(await listed()).toEqual(new Map([...bySlug(apply(lie, source.anime)), ...unseen]));
      expect(pending).toBeNull();
      expect(Object.keys(belief.rivals)).toHaveLength(unseen.length);
    },
  );

  if (!atFirst) return;
  test('is not believed at the first crawl either', async () => {
    const { lies, source, refresh, store } = await openScene();
    lies.lie = (anime) => apply(lie, anime);
    if (outcome === 'pending') {
      await expect(refresh()).rejects.toThrow(/contradicts what is known: .* differs on \d+ of \d+ cards/u);
      expect(await store.readSnapshot()).toBeUndefined();
      expect(await refresh(true)).toMatchObject({ pages: 8 });
    } else {
      await refresh();
      const { ongoing } = (await store.readSnapshot())!;
      expect(ongoing).toHaveLength(ANIME.length - 2);
      expect(source.anime).toEqual(expect.arrayContaining(ongoing));
    }
  });
});

describe('the schedule', () => {
  async function openWeek() {
    const scene = await openScene();
    const show = (change: (groups: Groups) => Groups) => {
      scene.source.alterSchedule = (page) => ({ ...page, groups: change(page.groups) });
    };
    return { ...scene, show };
  }

  test('is refused when it has other anime than the list, also by force', async () => {
    const { refresh, show } = await openWeek();
    const rename = ({ slug }: Groups[0]['cards'][0]) => ({ title: 'Lain', slug: `lain-${slug}` });
    show((groups) => groups.map((group) => ({ ...group, cards: group.cards.map(rename) })));
    const reason = /the ongoing list has 0 of the \d+ anime of the schedule/u;
    await expect(refresh()).rejects.toThrow(reason);
    await expect(refresh(true)).rejects.toThrow(reason);
  });

  test.each<[string, (groups: Groups) => Groups]>([
    ['are exchanged', (groups) => groups.map((one, index) => ({ ...one, day: DAYS.at(-1 - index)! }))],
    ['are one twice and lack another', (groups) => groups.with(1, { ...groups[1]!, day: 'Senin' })],
  ])('is refused when its headings %s, also at the first crawl', async (_what, change) => {
    const { refresh, show } = await openWeek();
    show(change);
    await expect(refresh()).rejects.toThrow(/contradicts what is known: day/u);
    show((groups) => groups);
    await refresh();
    show(change);
    await expect(refresh()).rejects.toThrow(/the schedule contradicts what is known: day/u);
  });

  test.each<[string, string, (groups: Groups) => Groups]>([
    [
      'has other titles for two anime',
      'title',
      (groups) =>
        groups.map((group, index) => ({
          ...group,
          cards: index < 2 ? group.cards.with(1, { ...group.cards[1]!, title: 'Lain' }) : group.cards,
        })),
    ],
    [
      'has exchanged two of them',
      'day',
      ([senin, selasa, ...others]) => [
        { ...senin!, cards: senin!.cards.with(1, selasa!.cards[2]!) },
        { ...selasa!, cards: selasa!.cards.with(2, senin!.cards[1]!) },
        ...others,
      ],
    ],
  ])('keeps its last good entries when it %s', async (_what, field, change) => {
    const { refresh, store, omitted, show } = await openWeek();
    await refresh();
    const before = await store.readSnapshot();
    show(change);
    await refresh();
    expect(await store.readSnapshot()).toEqual(before);
    expect(omitted()).toEqual([`schedule ${field}`, `schedule ${field}`]);
  });
});

test('page 1 is not held back when page 2 comes from an older cache', async () => {
  const { source, lies, refresh, slugs, store } = await openScene();
  await refresh();
  const old = source.anime;
  source.anime = [aired(old[40]!), ...old.toSpliced(40, 1)];
  lies.lie = (anime) => [...anime.slice(0, 25), ...old.slice(25, 50), ...anime.slice(50)];
  expect(await refresh()).toMatchObject({ changes: [{ type: 'new-episode', slug: old[40]!.slug }] });
  expect(await slugs()).toHaveLength(ANIME.length);
  expect(bySlug((await store.readSnapshot())?.ongoing)).toEqual(bySlug(source.anime));
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

test('a new episode of an anime is news at once, whose other cover has to last', async () => {
  const { source, clock, refresh, peek, listed, omitted } = await openScene();
  await refresh();
  const old = source.anime[40]!;
  const renewed = { ...aired(old), image: 'https://one.example/new.jpg' };
  source.anime = [renewed, ...source.anime.toSpliced(40, 1)];
  for (const read of [peek, refresh, refresh, refresh]) {
    expect((await listed()).get(old.slug)).not.toEqual(renewed);
    await read();
    expect((await listed()).get(old.slug)).toMatchObject({ episode: renewed.episode, title: old.title });
    clock.now += 3 * HOUR;
  }
  expect((await listed()).get(old.slug)).toEqual(renewed);
  expect(omitted()).toEqual(Array(3).fill('ongoing page 1 image'));
});

test('covers without a text, or with another text, are accepted', async () => {
  const { source, refresh, omitted } = await openScene();
  const { alterOngoing } = source;
  source.alterOngoing = (page) => ({
    ...alterOngoing(page),
    alts: page.alts.map((alt, index) => ['', 'cover', `${alt} BD`, 'My Star'][index % 4] ?? alt),
  });
  for (let crawl = 0; crawl < 2; crawl += 1) expect(await refresh()).toMatchObject({ anime: 132 });
  expect(omitted()).toEqual([]);
});

test('a title that only the card shows lasts, although the clock was ahead at the first of the crawls', async () => {
  const { clock, lies, refresh, store } = await openScene();
  await refresh();
  clock.now += 48 * HOUR;
  lies.lie = (anime) => apply({ set: { title: 'Lain' }, at: [3] }, anime);
  await refresh();
  clock.now -= 48 * HOUR;
  await refresh();
  clock.now += 6 * HOUR;
  await refresh();
  expect((await store.readSnapshot())?.ongoing[3]?.title).toBe('Lain');
});
