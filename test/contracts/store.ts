import type { Keyv } from 'keyv';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Store } from '../../src/crawler/snapshot-store.ts';
import { eventually } from '../support/service.ts';

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

/** The tests that every store must pass. The values follow Keyv's own tests. */
export function storeContract(name: string, open: () => Promise<OpenedStore>, isShared: boolean): void {
  describe(`a ${name} store`, () => {
    let store: Store;
    let keyv: Keyv;
    let reopen: OpenedStore['reopen'];

    beforeEach(async () => {
      const opened = await open();
      onTestFinished(opened.close);
      ({ store, reopen } = opened);
      keyv = store.keyv as Keyv;
    });

    test('returns every JSON value unchanged', async () => {
      for (const value of VALUES) {
        expect(await keyv.set('key', value)).toBe(true);
        expect(await keyv.get('key')).toEqual(value);
      }
    });

    test('returns a value of 5 MB unchanged', async () => {
      const value = 'Naga ∞ 龍 😀 '.repeat(5 * 2 ** 16);
      expect(Buffer.byteLength(value)).toBeGreaterThan(5 * 2 ** 20);
      await keyv.set('large', { value });
      const { value: read } = (await keyv.get<{ value: string }>('large')) ?? {};
      expect(read === value).toBe(true);
    });

    test('stores a copy of the value', async () => {
      const value = { list: [1] };
      await keyv.set('key', value);
      value.list.push(2);
      expect(await keyv.get('key')).toEqual({ list: [1] });
    });

    test('replaces and deletes one value, and has none for a key that was never set', async () => {
      await keyv.set('one', { first: 1 });
      await keyv.set('one', { second: 2 });
      await keyv.set('other', 2);
      expect(await keyv.get('one')).toEqual({ second: 2 });
      expect(await keyv.has('one')).toBe(true);
      expect(await keyv.delete('one')).toBe(true);
      for (const key of ['one', 'missing']) {
        expect(await keyv.has(key)).toBe(false);
        expect(await keyv.get(key)).toBeUndefined();
        expect(await keyv.delete(key)).toBe(false);
      }
      expect(await keyv.get('other')).toBe(2);
    });

    test('keeps unusual keys apart', async () => {
      for (const key of KEYS) await keyv.set(key, `at ${key}`);
      for (const key of KEYS) expect(await keyv.get(key)).toBe(`at ${key}`);
    });

    test('clears every value', async () => {
      for (const key of KEYS) await keyv.set(key, 1);
      await keyv.clear();
      for (const key of KEYS) expect(await keyv.get(key)).toBeUndefined();
    });

    // Only a shared store can fail, or be written by others.
    if (isShared)
      test('throws when it fails, and never returns undefined instead', async () => {
        await keyv.set('key', 1);
        await store.close();
        await expect(keyv.get('key')).rejects.toThrow();
        await expect(keyv.get('missing')).rejects.toThrow();
        await expect(keyv.has('key')).rejects.toThrow();
        await expect(keyv.set('key', 2)).rejects.toThrow();
        await expect(keyv.delete('key')).rejects.toThrow();
        await expect(store.lease()).rejects.toThrow();
        await expect(store.subscriptions.get('key')).rejects.toThrow();
        await expect(store.subscriptions.put('key', '', 1)).rejects.toThrow();
      });

    test('has one lease, which can be taken again once it is released', async () => {
      const release = await store.lease();
      expect(release).toBeDefined();
      expect(await store.lease()).toBeUndefined();
      await release?.();
      expect(await store.lease()).toBeDefined();
    });

    test('has independent leases of other names', async () => {
      const release = await store.lease('webhooks');
      expect(release).toBeDefined();
      expect(await store.lease()).toBeDefined();
      expect(await store.lease('webhooks')).toBeUndefined();
      await keyv.set('webhooks:one', 1);
      expect(await keyv.get('webhooks:one')).toBe(1);
      await release?.();
      expect(await store.lease('webhooks')).toBeDefined();
    });

    test('says which leases it holds', async () => {
      expect(await store.holds('webhooks')).toBe(false);
      const release = await store.lease('webhooks');
      expect(await store.holds('webhooks')).toBe(true);
      expect(await store.holds('refresh')).toBe(false);
      await release?.();
      expect(await store.holds('webhooks')).toBe(false);
    });

    test('does not free a new lease by an old release', async () => {
      const old = await store.lease();
      await old?.();
      expect(await store.lease()).toBeDefined();
      await old?.();
      expect(await store.lease()).toBeUndefined();
    });

    test('shares values and the lease with another opening, or has shared: false', async () => {
      expect(store.shared).toBe(reopen !== undefined);
      if (!reopen) return;
      const other = await reopen();
      await keyv.set('key', 'from the first');
      expect(await other.keyv.get('key')).toBe('from the first');
      await other.keyv.set('key', 'from the second');
      expect(await keyv.get('key')).toBe('from the second');

      const release = await store.lease();
      expect(await other.lease()).toBeUndefined();
      await release?.();
      expect(await other.lease()).toBeDefined();
      expect(await store.lease()).toBeUndefined();
    });

    test('keeps subscriptions in rows, up to a number, in the order of their keys', async () => {
      const { subscriptions: rows } = store;
      expect(await rows.after('', 10)).toEqual([]);
      for (const key of ['b', 'd', 'a', 'c']) expect(await rows.put(key, `at ${key}`, 4)).toBe(true);
      expect(await rows.put('e', 'too many', 4)).toBe(false);
      expect(await rows.put('b', 'anew ∞', 4)).toBe(true);
      expect(await rows.get('b')).toBe('anew ∞');
      expect(await rows.get('e')).toBeUndefined();
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
      expect(await rows.put('e', 'at e', 4)).toBe(true);
      expect((await rows.after('', 10)).map(([key]) => key)).toEqual(['b', 'c', 'd', 'e']);
      expect(await keyv.get('b')).toBeUndefined();
      if (reopen) expect(await (await reopen()).subscriptions.get('e')).toBe('at e');
    });

    test('never has more rows than allowed, however many are written at once', async () => {
      const { subscriptions: rows } = store;
      const keys = Array.from({ length: 30 }, (_, index) => `key ${index}`);
      const stored = await Promise.all(keys.map((key) => rows.put(key, key, 20)));
      expect(stored.filter(Boolean)).toHaveLength(20);
      expect(await rows.after('', 100)).toHaveLength(20);
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
        await other.keyv.set('key', 1);
        await eventually(
          async () => noticed,
          (times) => times > 0,
        );
        expect(noticedAfterStop).toBe(0);
      });
  });
}
