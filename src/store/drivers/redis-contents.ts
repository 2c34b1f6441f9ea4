import { randomUUID } from 'node:crypto';
import type { RedisConnection } from '../../redis/connection.ts';
import { createScript } from '../../redis/script.ts';
import { LEASE_NAMES, leaseKey, ROW_KINDS, type RowKind, type StoreContents } from '../store.ts';
import { NAMES } from './redis-lease.ts';

/** Returns each text, in the order of the keys. */
const READ_VALUES = createScript(`
  local texts = {}
  for index, key in ipairs(KEYS) do texts[index] = redis.call('GET', key) end
  return texts`);

const WRITE_VALUES = createScript(`
  redis.call('SET', KEYS[1], ARGV[1])
  for index = 2, #ARGV do redis.call('SET', KEYS[index], ARGV[index]) end
  for index = #ARGV + 1, #KEYS do redis.call('DEL', KEYS[index]) end
  return 1`);

/** Returns the keys, their texts and their days. */
const READ_ROWS = createScript(`
  local keys = redis.call('ZRANGEBYLEX', KEYS[2], ARGV[1], '+', 'LIMIT', 0, ARGV[2])
  if #keys == 0 then return {} end
  local days = {}
  for index, key in ipairs(keys) do days[index] = redis.call('ZSCORE', KEYS[3], key) or '' end
  return { keys, redis.call('HMGET', KEYS[1], unpack(keys)), days }`);

/** The arguments are the number of rows, then the key, the text and the day of each, then the keys that are removed. */
const WRITE_ROWS = createScript(`
  local last = 1 + 3 * tonumber(ARGV[1])
  for at = 2, last, 3 do
    local key, text, day = ARGV[at], ARGV[at + 1], ARGV[at + 2]
    redis.call('HSET', KEYS[1], key, text)
    redis.call('ZADD', KEYS[2], 0, key)
    if day == '' then redis.call('ZREM', KEYS[3], key) else redis.call('ZADD', KEYS[3], day, key) end
  end
  for at = last + 1, #ARGV do
    redis.call('HDEL', KEYS[1], ARGV[at])
    redis.call('ZREM', KEYS[2], ARGV[at])
    redis.call('ZREM', KEYS[3], ARGV[at])
  end
  return 1`);

/** Keys allowed beside the contents: those in use now, and the limits of uploads, which are recounted. */
const PASSING = [NAMES.change, 'probe', ...LEASE_NAMES.map(leaseKey)];
const LIMITS = ['limits:', 'limiter:'];

/** A hash with the texts of a kind of rows, and two sorted sets: with their keys in order, and by the day of the last put. */
export function rowKeys(kind: RowKind): string[] {
  const one = kind.slice(0, -1);
  return [kind, `${one}-keys`, `${one}-days`];
}

/** What a Redis keeps below the prefix. */
export function openRedisContents(redis: RedisConnection): StoreContents {
  const valuePrefix = `${redis.prefix}${NAMES.values}:`;

  async function listKeys(prefix: string): Promise<string[]> {
    const found = new Set<string>();
    // The characters of a prefix have no meaning in a pattern. A key may come twice.
    for await (const keys of redis.client().scanIterator({ MATCH: `${prefix}*`, COUNT: 1_000 }))
      for (const key of keys) found.add(key);
    return [...found].sort();
  }

  async function readValues(after: string, limit: number): Promise<[key: string, text: string][]> {
    const listed = await listKeys(valuePrefix);
    const keys = listed.filter((key) => key.slice(valuePrefix.length) > after).slice(0, limit);
    // The reply of the script: a text, or null for a key that is gone.
    const texts = (await redis.run(READ_VALUES, keys, [])) as (string | null)[];
    return keys.flatMap((key, index): [string, string][] => {
      const text = texts[index];
      return text == null ? [] : [[key.slice(valuePrefix.length), text]];
    });
  }

  return {
    async read(kind, after, limit) {
      if (kind === 'values')
        return (await readValues(after, limit)).map(([key, text]) => ({ key, text, day: null }));
      const keys = rowKeys(kind).map((key) => redis.prefix + key);
      const found = await redis.run(READ_ROWS, keys, [after ? `(${after}` : '-', String(limit)]);
      // The reply of the script: no lists, or three of the same length.
      const [names = [], texts = [], days = []] = found as [string[], string[], (string | number)[]] | [];
      return names.map((key, index) => ({
        key,
        text: texts[index]!,
        day: days[index] === '' ? null : Number(days[index]),
      }));
    },

    async write(kind, items, removed) {
      if (kind === 'values') {
        const keys = [...items.map(({ key }) => key), ...removed].map((key) => valuePrefix + key);
        const texts = items.map(({ text }) => text);
        await redis.run(WRITE_VALUES, [redis.prefix + NAMES.change, ...keys], [randomUUID(), ...texts]);
        return;
      }
      const keys = rowKeys(kind).map((key) => redis.prefix + key);
      const rows = items.flatMap(({ key, text, day }) => [key, text, day === null ? '' : String(day)]);
      await redis.run(WRITE_ROWS, keys, [String(items.length), ...rows, ...removed]);
    },

    async findUnknown() {
      const known = [...PASSING, ...ROW_KINDS.flatMap(rowKeys)];
      const folders = [`${NAMES.values}:`, ...LIMITS];
      const names = (await listKeys(redis.prefix)).map((key) => key.slice(redis.prefix.length));
      return names
        .filter((name) => !known.includes(name) && !folders.some((folder) => name.startsWith(folder)))
        .map((name) => `the key ${redis.prefix}${name}`);
    },
  };
}
