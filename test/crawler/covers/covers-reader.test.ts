import { describe, expect, test } from 'vitest';
import { type CoverStore, openCoverStore } from '../../../src/crawler/covers/cover-store.ts';
import { countCovers, createCoverBatchReader } from '../../../src/crawler/covers/covers-reader.ts';
import { type Decoder, DecoderAbsent } from '../../../src/crawler/covers/decoder.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { OngoingAnime } from '../../../src/domain/listing.ts';
import { openMemoryStore } from '../../../src/store/drivers/memory.ts';
import { openSnapshotStore } from '../../../src/store/snapshot-store.ts';
import { makeSnapshot, NOW } from '../../support/edition.ts';
import { makeAnime, openListSource } from '../../support/fake-source.ts';
import { writeStore } from '../../support/write-store.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ZONE = 'Asia/Jakarta';

/** A reader with a clock that the test sets, on a source that answers as the test says: a text is a picture. */
async function openReader(count = 3) {
  const clock = { now: NOW };
  const driver = await openMemoryStore();
  const store = await openSnapshotStore(driver, { random: () => 0 });
  const covers = await openCoverStore(store);
  const anime = Array.from({ length: count }, (_, index) => makeAnime(index));
  /** What the source answers to the path of a cover; its own path, where there is nothing. */
  const answers = new Map<string, string | Error>();
  const requests: { path: string; at: number }[] = [];
  const events: { type: string }[] = [];
  let decode: Decoder['decode'] = async (bytes) => {
    const text = String(bytes);
    if (text === 'broken') throw new AppError('source-changed', 'it cannot be decoded');
    const picture = { bytes: Buffer.from(`${text} small`), width: 2, height: 3 };
    const hash = text.replaceAll(/\W/gu, '').slice(-16).padStart(16, '0');
    return { hash, small: picture, large: { ...picture, bytes: Buffer.from(`${text} large`) } };
  };

  async function readPicture(address: string): Promise<Uint8Array> {
    const path = new URL(address).pathname;
    requests.push({ path, at: clock.now });
    const answer = answers.get(path) ?? path;
    if (answer instanceof Error) throw answer;
    return Buffer.from(answer);
  }

  const none = () => Promise.reject(new Error('no page is read'));
  const source = { ...openListSource({ readSchedule: none, readOngoing: none }), readPicture };
  const create = (of: CoverStore) =>
    createCoverBatchReader({
      store,
      covers: of,
      source: async () => source,
      isBusy: () => false,
      timeZone: ZONE,
      report: (event) => events.push(event),
      now: () => clock.now,
      openDecoder: () => ({ decode: (bytes) => decode(bytes), close() {} }),
    });
  let readBatch = create(covers);
  const lease = (await store.lease('covers'))!;

  /** Shows these anime from now on; those that it does not show are forgotten. */
  async function show(ongoing: readonly OngoingAnime[], more = {}): Promise<void> {
    const status = await store.readStatus();
    await writeStore(store, {
      listing: {
        snapshot: makeSnapshot([...ongoing], [...ongoing], { revision: clock.now, ...more }),
        events: [],
      },
      status: {
        ...status,
        attempts: { ...status.attempts, attemptedAt: clock.now },
        health: { ...status.health, state: 'ok' },
        mirrors: { ...status.mirrors, mirror: 'https://one.example' },
      },
    });
  }

  await show(anime);
  return {
    clock,
    store,
    covers,
    anime,
    answers,
    events,
    show,
    setDecode(other: Decoder['decode']) {
      decode = other;
    },
    restart() {
      readBatch = create(covers);
    },
    /** Lets time pass, reads whatever is due, and returns the paths that were requested. */
    async read(afterMs = 0): Promise<string[]> {
      clock.now += afterMs;
      requests.length = 0;
      for (let batches = 0; batches < 100 && (await readBatch(lease, new AbortController().signal)); )
        batches += 1;
      return requests.map(({ path }) => path);
    },
    count: () => countCovers(covers.records(), store.known().listing!.snapshot, ZONE, clock.now),
    fileOf: async (slug: string) => {
      const { hash } = covers.covers()[slug] ?? {};
      const bytes = await covers.readFile(`${hash}.jpg`);
      return bytes && Buffer.from(bytes).toString();
    },
  };
}

const pathOf = ({ image }: OngoingAnime) => new URL(image).pathname;
const refused = () => new AppError('source-blocked', 'refused');

test('each cover is read once, and again when its path changes, but not when its host does', async () => {
  const { anime, read, show, covers, fileOf } = await openReader();
  expect((await read()).toSorted()).toEqual(anime.map(pathOf).toSorted());
  expect(await read(HOUR)).toEqual([]);
  const [first, ...others] = anime as [OngoingAnime, ...OngoingAnime[]];
  await show(anime.map((one) => ({ ...one, image: one.image.replace('://', '://cdn.') })));
  expect(await read(HOUR)).toEqual([]);
  const before = covers.covers()[first.slug]!;
  await show([{ ...first, image: 'https://one.example/new.jpg' }, ...others]);
  expect(await read()).toEqual(['/new.jpg']);
  expect(covers.covers()[first.slug]).toMatchObject({ hash: expect.not.stringMatching(before.hash) });
  expect(await fileOf(first.slug)).toBe('/new.jpg large');
  expect(await covers.readFile(`${before.hash}.jpg`)).toBeUndefined();
});

test('the covers of today are read first', async () => {
  const { read, show } = await openReader();
  const days = ['None', 'Kamis', 'Sabtu', 'Jumat', 'Random'] as const;
  await show(
    days.map((day, index) => ({ ...makeAnime(index), day, image: `https://one.example/${day}.jpg` })),
  );
  expect(await read()).toEqual(['/Jumat.jpg', '/Sabtu.jpg', '/Kamis.jpg', '/None.jpg', '/Random.jpg']);
});

test('a picture that fails is tried an hour later, then ever more rarely; the old one stays', async () => {
  const { anime, answers, read, count, fileOf, restart } = await openReader(1);
  const [{ slug }] = anime as [OngoingAnime];
  await read();
  const kept = await fileOf(slug);
  answers.set(pathOf(anime[0]!), 'broken');
  const failedAt: number[] = [];
  for (let hour = 0; hour < 45 * 24; hour += 1) {
    // A process that is started again knows of the failures.
    restart();
    if ((await read(HOUR)).length > 0) failedAt.push(hour + 1);
  }
  expect(failedAt).toEqual([720, 721, 723, 727, 735, 751, 783, 847, 975]);
  expect(count()).toEqual({ known: 1, missing: 0, failed: 1 });
  expect(await fileOf(slug)).toBe(kept);
  answers.clear();
  await read(30 * DAY);
  expect(count()).toEqual({ known: 1, missing: 0, failed: 0 });
});

test('covers are read again once in 30 days, one in 20 minutes', async () => {
  const { read } = await openReader(30);
  expect(await read()).toHaveLength(30);
  expect(await read(29 * DAY)).toEqual([]);
  const each: number[] = [];
  for (let tens = 0; tens < 2 * 24 * 6; tens += 1) each.push((await read(10 * MINUTE)).length);
  expect(each.reduce((sum, one) => sum + one)).toBe(30);
  expect(each.slice(0, 24 * 6 - 1)).not.toContain(1);
  expect(each.slice(24 * 6, 24 * 6 + 6)).toEqual([0, 1, 0, 1, 0, 1]);
});

test('a source that renames its pictures all the time costs a hundred requests a day', async () => {
  const { anime, show, read } = await openReader(20);
  await read();
  let requests = 0;
  for (let hour = 0; hour < 24; hour += 1) {
    await show(anime.map((one) => ({ ...one, image: `https://one.example/${hour}/${one.slug}.jpg` })));
    requests += (await read(HOUR)).length;
  }
  expect(requests).toBe(100);
});

describe('a host that refuses', () => {
  test('is left alone for a while, which doubles, while other hosts are read', async () => {
    const { anime, answers, show, read, count } = await openReader(20);
    for (const one of anime) answers.set(pathOf(one), refused());
    const other = { ...makeAnime(100), day: 'None' as const, image: 'https://other.example/a.jpg' };
    await show([...anime, other]);
    const asked = await read();
    expect(asked).toHaveLength(4);
    expect(asked.at(-1)).toBe('/a.jpg');
    expect(count()).toEqual({ known: 1, missing: 17, failed: 3 });
    expect(await read(14 * MINUTE)).toEqual([]);
    expect(await read(2 * MINUTE)).toHaveLength(1);
    expect(await read(16 * MINUTE)).toEqual([]);
    expect(await read(15 * MINUTE)).toHaveLength(1);
    answers.clear();
    expect((await read(2 * HOUR)).length).toBe(20);
    expect(count()).toEqual({ known: 21, missing: 0, failed: 0 });
  });

  test('costs a few requests a day', async () => {
    const { anime, answers, read } = await openReader(150);
    for (const one of anime) answers.set(pathOf(one), refused());
    await read();
    let requests = 0;
    for (let minutes = 0; minutes < 24 * 60; minutes += 5) requests += (await read(5 * MINUTE)).length;
    expect(requests).toBeLessThanOrEqual(10);
  });
});

test('an anime that is forgotten takes its cover with it, and the same picture of another stays', async () => {
  const { anime, answers, show, read, covers, fileOf } = await openReader();
  const [first, second, third] = anime as [OngoingAnime, OngoingAnime, OngoingAnime];
  for (const one of [first, second]) answers.set(pathOf(one), 'the same');
  await read();
  const { hash } = covers.covers()[first.slug]!;
  expect(covers.covers()[second.slug]).toMatchObject({ hash });
  await show([second, third]);
  await read();
  expect(Object.keys(covers.records()).toSorted()).toEqual([second.slug, third.slug].toSorted());
  expect(await fileOf(second.slug)).toBe('the same large');
  await show([third]);
  await read();
  expect(await covers.readFile(`${hash}.jpg`)).toBeUndefined();
  expect(await fileOf(third.slug)).toBe(`${pathOf(third)} large`);
});

test('an anime whose slug is corrected keeps its cover', async () => {
  const { anime, show, read, covers, clock } = await openReader();
  await read();
  const [first, ...others] = anime as [OngoingAnime, ...OngoingAnime[]];
  const kept = covers.covers()[first.slug];
  const renamed = { [first.slug]: { to: 'yang-benar', at: clock.now } };
  await show([{ ...first, slug: 'yang-benar' }, ...others], { renamed });
  expect(await read()).toEqual([]);
  expect(covers.covers()['yang-benar']).toEqual(kept);
  expect(covers.covers()[first.slug]).toBeUndefined();
});

test('where pictures cannot be decoded, it is reported once a day, and no cover has failed', async () => {
  const { setDecode, read, events, count } = await openReader();
  setDecode(() => Promise.reject(new DecoderAbsent(new Error('no library'), true)));
  expect(await read()).toHaveLength(1);
  expect(await read(23 * HOUR)).toEqual([]);
  expect(await read(2 * HOUR)).toHaveLength(1);
  expect(events.filter(({ type }) => type === 'covers-absent')).toHaveLength(2);
  expect(count()).toEqual({ known: 0, missing: 3, failed: 0 });
});

test('where the process that decodes is only slow to start, it is tried again after an hour', async () => {
  const { setDecode, read, count } = await openReader();
  setDecode(() => Promise.reject(new DecoderAbsent(new Error('it takes longer than 60000 ms'), false)));
  expect(await read()).toHaveLength(1);
  expect(await read(HOUR - MINUTE)).toEqual([]);
  expect(await read(2 * MINUTE)).toHaveLength(1);
  expect(count()).toEqual({ known: 0, missing: 3, failed: 0 });
});

test('what a clock that was ahead has left delays no cover for long', async () => {
  const { clock, read } = await openReader(2);
  clock.now += 400 * DAY;
  await read();
  clock.now = NOW;
  const requests = [await read(), await read(21 * MINUTE), await read(21 * MINUTE), await read(21 * MINUTE)];
  expect(requests.map(({ length }) => length)).toEqual([1, 1, 0, 0]);
});
