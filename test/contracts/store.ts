import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { copyStore } from '../../src/store/copy-store.ts';
import { openSnapshotStore } from '../../src/store/snapshot-store.ts';
import { ROW_KINDS, type Store } from '../../src/store/store.ts';
import { eventually } from '../support/service.ts';
import { writeValues } from '../support/write-store.ts';

export interface OpenedStore {
  store: Store;
  /** Opens the same store again; absent when each opening has a store of its own. */
  reopen?: () => Promise<Store>;
  /** Closes all openings, and removes their files. */
  close: () => Promise<void>;
}

const VALUES = [
  ...[null, true, false, 0, -1.5, Number.MAX_SAFE_INTEGER, '', 'text', [], {}, [null, [1, 'two']]],
  { anime: [{ title: 'Naga ∞ ½ 龍 😀', episode: 1, none: null }], '': 'a key without a name' },
  // Keyv marks buffers and escapes with a colon; the others are hard to encode.
  ...[':', ':base64:AAAA', 'a\u0000b', '\ud800', '  white\r\nspace\t'],
];

const KEYS = [
  'a:b',
  ':',
  '%',
  '_',
  "'; DROP TABLE keyv; --",
  '__proto__',
  '龍 😀',
  'a\u0000b',
  'k'.repeat(1_000),
];

const LIMIT = { max: 4, day: 100, unusedSince: 70 };

/** The tests that every store must pass. The values follow Keyv's own tests. */
export function storeContract(name: string, open: () => Promise<OpenedStore>, isShared: boolean): void {
  describe(`a ${name} store`, () => {
    let store: Store;
    let values: Store['values'];
    const put = (key: string, value: unknown) => writeValues(store, { [key]: value });
    let reopen: OpenedStore['reopen'];

    beforeEach(async () => {
      const opened = await open();
      onTestFinished(opened.close);
      ({ store, reopen } = opened);
      ({ values } = store);
    });

    test('returns every JSON value unchanged', async () => {
      for (const value of VALUES) {
        await put('key', value);
        expect(await values.get('key')).toEqual(value);
      }
    });

    test('returns a value of 5 MB unchanged', async () => {
      const value = 'Naga ∞ 龍 😀 '.repeat(5 * 2 ** 16);
      expect(Buffer.byteLength(value)).toBeGreaterThan(5 * 2 ** 20);
      await put('large', { value });
      const { value: read } = (await values.get<{ value: string }>('large')) ?? {};
      expect(read === value).toBe(true);
    });

    test('stores a copy of the value', async () => {
      const value = { list: [1] };
      await put('key', value);
      value.list.push(2);
      expect(await values.get('key')).toEqual({ list: [1] });
    });

    test('replaces one value and no other, and has none for a key that was never written', async () => {
      await put('one', { first: 1 });
      await put('other', 2);
      await put('one', { second: 2 });
      expect(await values.get('one')).toEqual({ second: 2 });
      expect(await values.get('other')).toBe(2);
      expect(await values.get('missing')).toBeUndefined();
    });

    test('writes several values in one step', async () => {
      await writeValues(store, { one: 1, other: { more: [2] } });
      expect([await values.get('one'), await values.get('other')]).toEqual([1, { more: [2] }]);
    });

    test('removes values in the same step as it writes others', async () => {
      await writeValues(store, { one: 1, other: 2, last: 3 });
      await writeValues(store, { one: undefined, other: 'anew', missing: undefined });
      const read = await Promise.all(['one', 'other', 'last', 'missing'].map((key) => values.get(key)));
      expect(read).toEqual([undefined, 'anew', 3, undefined]);
      await writeValues(store, { other: undefined });
      expect(await values.get('other')).toBeUndefined();
    });

    test('keeps unusual keys apart', async () => {
      for (const key of KEYS) await put(key, `at ${key}`);
      for (const key of KEYS) expect(await values.get(key)).toBe(`at ${key}`);
    });

    test('of a later version is refused in a sentence, and nothing in it is changed', async () => {
      await writeValues(store, { listing: { version: 99 }, status: { mirror: 'http://m' } });
      const opening = openSnapshotStore(store, { random: () => 0, place: 'at this place' });
      await expect(opening).rejects.toThrow(/the store at this place has version 99, .* up to 3:/u);
      expect(await values.get('listing')).toEqual({ version: 99 });
      expect(await values.get('status')).toEqual({ mirror: 'http://m' });
    });

    // Only a shared store can fail, or be written by others.
    if (isShared)
      test('throws when it fails, and never returns undefined instead', async () => {
        const lease = await store.lease('details');
        await put('key', 1);
        await store.close();
        await expect(values.get('key')).rejects.toThrow();
        await expect(values.get('missing')).rejects.toThrow();
        await expect(lease?.write({ key: 2 })).rejects.toThrow();
        await expect(store.lease('refresh')).rejects.toThrow();
        await expect(store.subscriptions.after('', 1)).rejects.toThrow();
        await expect(
          store.subscriptions.put('key', '', { max: 1, day: 1, unusedSince: 0 }),
        ).rejects.toThrow();
      });

    test('has one lease of a name, which can be taken again once it is released', async () => {
      const lease = await store.lease('refresh');
      expect(lease).toBeDefined();
      expect(await store.lease('refresh')).toBeUndefined();
      expect(await store.lease('details')).toBeDefined();
      await lease?.release();
      expect(await store.lease('refresh')).toBeDefined();
    });

    test('writes nothing under a lease that was released, which frees no later one', async () => {
      const old = await store.lease('refresh');
      await old?.write({ key: 1 });
      expect(await old?.isHeld()).toBe(true);
      await old?.release();
      const next = await store.lease('refresh');
      await old?.release();
      expect(await store.lease('refresh')).toBeUndefined();
      await expect(old?.write({ key: 2, other: 2 })).rejects.toThrow('lease was lost');
      expect([await values.get('key'), await values.get('other')]).toEqual([1, undefined]);
      expect([await old?.isHeld(), await next?.isHeld()]).toEqual([false, true]);
    });

    test('can be probed, which changes no value', async () => {
      await put('key', 1);
      await store.probe(1_000_000);
      expect(await values.get('key')).toBe(1);
    });

    test('shares values and the lease with another opening, or has shared: false', async () => {
      expect(store.shared).toBe(reopen !== undefined);
      if (!reopen) return;
      const other = await reopen();
      await put('key', 'from the first');
      expect(await other.values.get('key')).toBe('from the first');
      await writeValues(other, { key: 'from the second' });
      expect(await values.get('key')).toBe('from the second');

      const lease = await store.lease('refresh');
      expect(await other.lease('refresh')).toBeUndefined();
      await lease?.release();
      expect(await other.lease('refresh')).toBeDefined();
      expect(await store.lease('refresh')).toBeUndefined();
    });

    test('keeps subscriptions in rows, up to a number, in the order of their keys', async () => {
      const { subscriptions: rows } = store;
      expect(await rows.after('', 10)).toEqual([]);
      for (const key of ['b', 'd', 'a', 'c']) expect(await rows.put(key, `at ${key}`, LIMIT)).toBe(true);
      expect(await rows.put('e', 'too many', LIMIT)).toBe(false);
      expect(await rows.put('b', 'anew ∞', LIMIT)).toBe(true);
      expect(await rows.after('a', 1)).toEqual([['b', 'anew ∞']]);
      const [first = [], ...others] = [
        await rows.after('', 3),
        await rows.after('c', 3),
        await rows.after('d', 3),
      ];
      expect(first).toEqual([
        ['a', 'at a'],
        ['b', 'anew ∞'],
        ['c', 'at c'],
      ]);
      expect(others).toEqual([[['d', 'at d']], []]);
      await rows.remove('a');
      await rows.remove('missing');
      expect(await rows.put('e', 'at e', LIMIT)).toBe(true);
      expect((await rows.after('', 10)).map(([key]) => key)).toEqual(['b', 'c', 'd', 'e']);
      expect(await Promise.all(['b', 'missing'].map(rows.get))).toEqual(['anew ∞', undefined]);
      expect(await values.get('b')).toBeUndefined();
      expect(await store.channels.after('', 10)).toEqual([]);
      expect(await store.channels.put('b', 'a channel', LIMIT)).toBe(true);
      expect(await rows.get('b')).toBe('anew ∞');
      if (reopen) expect(await (await reopen()).subscriptions.after('d', 1)).toEqual([['e', 'at e']]);
    });

    test('gives the place of a row that was not put for long to a new one, where there is no other', async () => {
      const { subscriptions: rows } = store;
      const put = (key: string, day: number) => rows.put(key, key, { max: 3, day, unusedSince: day - 30 });
      for (const key of ['a', 'b', 'c']) expect(await put(key, 100)).toBe(true);
      expect(await put('d', 130)).toBe(false);
      expect(await put('b', 110)).toBe(true);
      expect(await put('d', 131)).toBe(true);
      expect((await rows.after('', 10)).map(([key]) => key)).toEqual(['b', 'd']);
      expect(await put('b', 141)).toBe(true);
      expect(await put('e', 141)).toBe(true);
      expect(await put('f', 141)).toBe(false);
    });

    test('never has more rows than allowed, however many are written at once', async () => {
      const { subscriptions: rows } = store;
      const keys = Array.from({ length: 30 }, (_, index) => `key ${index}`);
      const stored = await Promise.all(keys.map((key) => rows.put(key, key, { ...LIMIT, max: 20 })));
      expect(stored.filter(Boolean)).toHaveLength(20);
      expect(await rows.after('', 100)).toHaveLength(20);
    });

    test('is copied whole to another one, and again with what has changed', async () => {
      const { store: other, close } = await open();
      onTestFinished(close);
      const copy = () => copyStore({ from: store, to: other, fromName: 'first', onCopied() {} });
      for (const [index, value] of VALUES.entries()) await put(`key ${index}`, value);
      for (const key of KEYS) await put(key, { key });
      await put('large', 'Naga ∞ 龍 😀 '.repeat(2 ** 16));
      for (const kind of ROW_KINDS)
        for (let number = 0; number < 250; number += 1)
          await store[kind].put(`key ${number}`, `∞ ${number}`, { max: 1_000, day: number, unusedSince: 0 });
      expect(await store.contents.findUnknown()).toEqual([]);
      const count = VALUES.length + KEYS.length + 1;
      const rows = ROW_KINDS.map((kind) => ({ kind, kept: 250, copied: 250, removed: 0 }));
      expect(await copy()).toEqual([{ kind: 'values', kept: count, copied: count, removed: 0 }, ...rows]);
      for (const [index, value] of VALUES.entries())
        expect(await other.values.get(`key ${index}`)).toEqual(value);
      for (const key of KEYS) expect(await other.values.get(key)).toEqual({ key });
      for (const kind of ROW_KINDS) {
        expect(await other[kind].after('', 1_000)).toEqual(await store[kind].after('', 1_000));
        expect(await other.contents.read(kind, 'key 99', 1_000)).toEqual([]);
        expect(await other.contents.read(kind, 'key 98', 1)).toEqual([
          { key: 'key 99', text: '∞ 99', day: 99 },
        ]);
      }

      await put('key 0', 'changed');
      for (const kind of ROW_KINDS) {
        await store[kind].put('key 7', '∞ 7', { max: 1_000, day: 8, unusedSince: 0 });
        await store[kind].remove('key 8');
      }
      const changed = ROW_KINDS.map((kind) => ({ kind, kept: 249, copied: 1, removed: 1 }));
      expect(await copy()).toEqual([{ kind: 'values', kept: count, copied: 1, removed: 0 }, ...changed]);
      expect(await other.values.get('key 0')).toBe('changed');
    });

    if (isShared)
      test('calls watchers for writes of another opening until they stop', async () => {
        const other = await reopen!();
        let noticed = 0;
        let noticedAfterStop = 0;
        onTestFinished(
          store.watch(() => {
            noticed += 1;
          }),
        );
        store.watch(() => {
          noticedAfterStop += 1;
        })();
        await writeValues(other, { key: 1 });
        await eventually(
          async () => noticed,
          (times) => times > 0,
        );
        expect(noticedAfterStop).toBe(0);
      });
  });
}
