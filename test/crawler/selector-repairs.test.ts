import { beforeEach, describe, expect, test } from 'vitest';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import type { SnapshotStore } from '../../src/store/snapshot-store.ts';
import { listPath, NOW, openPageRefresh, openPageSource, SAMPLE_PAGES } from '../support/sample-pages.ts';
import { makeStatus, statusOf } from '../support/status.ts';
import { writeStore } from '../support/write-store.ts';

const HOUR = 3_600_000;

let alter: (html: string, path: string) => string;
let clock: number;
let events: OperationalEvent[];
let reads: string[];
let store: SnapshotStore;
let refresh: (isPeek?: boolean) => Promise<unknown>;

beforeEach(async () => {
  alter = (html) => html;
  clock = NOW;
  events = [];
  reads = [];
  const report = (event: OperationalEvent) => void events.push(event);
  const source = openPageSource((path) => {
    reads.push(path);
    return alter(SAMPLE_PAGES.get(path) ?? '', path);
  }, report);
  const opened = await openPageRefresh(source, { report, now: () => clock });
  store = opened.store;
  refresh = (isPeek) => {
    clock += HOUR;
    return opened.refresh(isPeek);
  };
});

const renameTitle = (html: string) => html.replaceAll('"jdlflm"', '"judul"');
const renameAll = (html: string) =>
  renameTitle(html)
    .replaceAll('venz', 'daftar')
    .replaceAll(/kgjdwl321|kglist321/gu, 'hari');
const repaired = async () => (await statusOf(store)).repaired;
const eventsOf = (type: OperationalEvent['type']) => events.filter((event) => event.type === type);

describe('a renamed class', () => {
  beforeEach(async () => {
    await refresh();
    alter = renameTitle;
  });

  test('is reported once, and kept with the time of its first crawl', async () => {
    await refresh();
    const since = clock;
    await refresh();
    await refresh();
    expect(await repaired()).toMatchObject([{ since }]);
    expect(eventsOf('selectors-repaired')).toHaveLength(1);
  });

  test('is dropped when the written selector holds again, which is reported', async () => {
    await refresh();
    alter = (html) => html;
    await refresh();
    expect(await repaired()).toEqual([]);
    expect(eventsOf('selectors-restored')).toEqual([{ type: 'selectors-restored', fields: ['title'] }]);
  });

  test('leads a peek to a whole crawl, and later peeks read by the new selector', async () => {
    reads.length = 0;
    await refresh(true);
    expect(reads.length).toBeGreaterThan(2);
    expect(await repaired()).toHaveLength(1);
    reads.length = 0;
    await refresh(true);
    expect(reads).toEqual([listPath(1)]);
    expect((await statusOf(store)).state).toBe('ok');
  });

  test('is named with the share of the known anime that still agree', async () => {
    const title = /"jdlflm">([^<]*)</u.exec(SAMPLE_PAGES.get(listPath(1)) ?? '')?.[1] ?? '';
    alter = (html) => renameTitle(html.replaceAll(`>${title}<`, '>Judul lain<'));
    await refresh();
    const known = (await store.readSnapshot())?.ongoing.length ?? 0;
    expect((await repaired())[0]?.agreement).toBeCloseTo(1 - 1 / known, 5);
  });

  test.each([
    ['is not repaired on a tenth of the cards, which keep their records', 2, 0],
    ['is repaired on more of them', 3, 1],
  ])('%s', async (_name, count, repairs) => {
    const before = await store.readSnapshot();
    alter = (html, path) => {
      const [head = '', ...cards] = html.split('"jdlflm"');
      const names = cards.map((rest, index) => (index < count ? `"judul x"${rest}` : `"jdlflm x"${rest}`));
      return path === listPath(1) ? head + names.join('') : html;
    };
    await refresh();
    expect(await repaired()).toHaveLength(repairs);
    expect(await store.readSnapshot()).toEqual(before);
  });

  test('that is renamed again is found again, from then on', async () => {
    await refresh();
    alter = (html) => html.replaceAll('"jdlflm"', '"nama"');
    await refresh();
    expect(await repaired()).toMatchObject([{ now: '.nama', since: clock }]);
    expect(eventsOf('selectors-repaired')).toHaveLength(2);
    expect(eventsOf('selectors-restored')).toEqual([]);
  });
});

test('renamed containers are repaired although no written selector matches', async () => {
  await refresh();
  const before = await store.readSnapshot();
  alter = renameAll;
  await refresh(true);
  expect(await store.readSnapshot()).toEqual(before);
  const fields = (await repaired()).map(({ field }) => field);
  expect(fields).toEqual(['list', 'title', 'schedule list']);
});

test('nothing is repaired before there is a snapshot', async () => {
  alter = renameTitle;
  await expect(refresh()).rejects.toMatchObject({ code: 'source-changed' });
  expect(await repaired()).toEqual([]);
});

test('a site that shows one of two themes at random is read by both', async () => {
  await refresh();
  const before = await store.readSnapshot();
  let reads = 0;
  alter = (html) => {
    reads = (reads * 5 + 3) % 16;
    return reads % 3 === 0 ? renameTitle(html) : html;
  };
  for (let crawl = 0; crawl < 15; crawl += 1) await refresh();
  expect(await store.readSnapshot()).toEqual(before);
});

test('a page with a challenge script is accepted when it links to the known anime', async () => {
  await refresh();
  alter = (html) =>
    renameAll(html).replace('<title>', '<script src="/cdn-cgi/challenge-platform/x.js"></script><title>');
  await refresh();
  expect((await statusOf(store)).state).toBe('ok');
});

test('a repair is forgotten when the written selector has been changed in the site', async () => {
  await refresh();
  const old = { field: 'title', was: '.lama', now: '.epz', agreement: 1, since: 0 };
  await writeStore(store, { status: makeStatus({ repaired: [old] }, await store.readStatus()) });
  await refresh();
  expect(await repaired()).toEqual([]);
});
