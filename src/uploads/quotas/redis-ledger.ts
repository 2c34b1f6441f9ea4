import { expiryOf } from '../../domain/upload.ts';
import type { RedisConnection } from '../../redis/connection.ts';
import { createScript } from '../../redis/script.ts';
import { type QuotaLimits, quotaExceeded } from '../quota.ts';
import type { CountedFile } from './stored-files.ts';

/** The reservations of a process are released when it has sent no heartbeat for this long, by the clock of Redis. */
const PROCESS_TTL_MS = 20_000;
const EXPIRE_BATCH = 500;

/**
 * Every call is one atomic step. KEYS: `used` (a hash from bucket to bytes, stored and reserved; `*` is all), `files` (a
 * sorted set by expiry; a member is the id, the size and the buckets of a file), `processes` (a sorted set by the time until
 * which a process counts as alive), `counted` (exists once all files have been counted), and the hash of what this process
 * has reserved. The first argument names the step. Every step releases what dead processes have reserved.
 */
const LEDGER_SCRIPT = createScript(`
  local used, files, processes, counted, mine = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
  local step, prefix, name, lifetime = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)

  local function add(hash, field, bytes)
    if bytes == 0 then return end
    local sum = redis.call('HINCRBY', hash, field, string.format('%.0f', bytes))
    if sum == 0 then redis.call('HDEL', hash, field) end
  end
  local function release(bytes, from)
    for i = from, #ARGV do
      local reserved = math.min(bytes, tonumber(redis.call('HGET', mine, ARGV[i]) or 0))
      add(used, ARGV[i], -reserved)
      add(mine, ARGV[i], -reserved)
    end
  end
  local function count(member, sign)
    local size
    for word in member:sub(member:find(' ') + 1):gmatch('%S+') do
      if not size then
        size = tonumber(word)
        add(used, '*', sign * size)
      else add(used, word, sign * size) end
    end
  end
  local function enter(member, expiry)
    if redis.call('ZADD', files, 'NX', expiry, member) == 1 then count(member, 1) end
  end
  local function leave(member)
    if redis.call('ZREM', files, member) == 1 then count(member, -1) end
  end

  for _, dead in ipairs(redis.call('ZRANGEBYSCORE', processes, '-inf', now)) do
    local reserved = redis.call('HGETALL', prefix .. dead)
    for i = 1, #reserved, 2 do add(used, reserved[i], -tonumber(reserved[i + 1])) end
    redis.call('DEL', prefix .. dead)
    redis.call('ZREM', processes, dead)
  end

  if step == 'heartbeat' then
    redis.call('ZADD', processes, now + lifetime, name)
    local bytes = tonumber(redis.call('HGET', used, '*') or 0)
    return { redis.call('EXISTS', counted), bytes, redis.call('ZCARD', files) }
  end
  if step == 'add' then
    for i = 5, #ARGV, 2 do enter(ARGV[i], ARGV[i + 1]) end
    return 1
  end
  if step == 'remove' then
    leave(ARGV[5])
    return 1
  end
  if step == 'replace' then
    leave(ARGV[5])
    enter(ARGV[6], ARGV[7])
    return 1
  end
  if step == 'expire' then
    local due = redis.call('ZRANGEBYSCORE', files, '-inf', ARGV[5], 'LIMIT', 0, ARGV[6])
    for _, member in ipairs(due) do leave(member) end
    return #due
  end

  if not redis.call('ZSCORE', processes, name) then return { 'lost' } end
  if redis.call('EXISTS', counted) == 0 then return { 'lost' } end
  if step == 'release' then
    release(tonumber(ARGV[5]), 6)
    return { 'ok' }
  end
  if step == 'keep' then
    release(tonumber(ARGV[5]), 8)
    enter(ARGV[6], ARGV[7])
    return { 'ok' }
  end
  -- take: the bytes wanted and needed, then pairs of a limit and a bucket, of which the first is the whole store
  local wanted, needed, left = tonumber(ARGV[5]), tonumber(ARGV[6]), nil
  -- the number of the first bucket with nothing left, 0 for none
  local exhausted = 0
  for i = 7, #ARGV, 2 do
    local rest = tonumber(ARGV[i]) - tonumber(redis.call('HGET', used, ARGV[i + 1]) or 0)
    if not left or rest < left then left = rest end
    if rest <= 0 and i > 7 and exhausted == 0 then exhausted = (i - 7) / 2 end
  end
  if left <= 0 or left < needed then return { 'full', left, exhausted } end
  local taken = math.min(wanted, left)
  for i = 7, #ARGV, 2 do
    add(used, ARGV[i + 1], taken)
    add(mine, ARGV[i + 1], taken)
  end
  return { 'ok', taken }`);

const TOTAL = '*';

/** `lost`: Redis does not know this process, or has not counted all files. */
type Answer = ['ok', bytes: number, undefined?] | ['full', left: number, exhausted: number] | ['lost'];

/** Thrown when Redis does not know this process, or has not counted all files. The process registers and counts again. */
export class LedgerLostError extends Error {
  constructor() {
    super('the quota in Redis has to be counted again');
  }
}

export type Ledger = ReturnType<typeof createLedger>;

/** The quota in Redis: what is stored, and what each process has reserved. Every call rejects when Redis does not answer. */
export function createLedger(
  redis: RedisConnection,
  { totalBytes, ownerBytes, bucketsOf }: QuotaLimits,
  processTtlMs = PROCESS_TTL_MS,
) {
  const prefix = `${redis.prefix}quota:`;

  async function run(step: string, process: string, args: (string | number)[]): Promise<unknown> {
    const keys = ['used', 'files', 'processes', 'counted', `process:${process}`].map((key) => prefix + key);
    const head = [step, `${prefix}process:`, process, processTtlMs];
    return redis.run(LEDGER_SCRIPT, keys, [...head, ...args].map(String));
  }

  async function runKnown(step: string, process: string, args: (string | number)[]) {
    // The script returns nothing else for these steps.
    const answer = (await run(step, process, args)) as Answer;
    if (answer[0] === 'lost') throw new LedgerLostError();
    return answer;
  }

  const keysOf = (owner: string) => bucketsOf(owner, ownerBytes).map(({ key }) => key);
  const member = ({ id, size, owner }: CountedFile) => [id, size, ...keysOf(owner)].join(' ');
  const entry = (file: CountedFile) => [member(file), expiryOf(file.id) ?? 0];

  return {
    /** Announces that a process lives. Resolves with whether all files have been counted, and with what is used. */
    async sendHeartbeat(process: string) {
      // The script returns three integers for this step.
      const [isCounted, bytes, files] = (await run('heartbeat', process, [])) as [number, number, number];
      return { isCounted: isCounted === 1, bytes, files };
    },
    /**
     * Reserves up to `wanted` bytes, and resolves with their number. Throws AppError `storage-full` when fewer than
     * `needed` are left.
     */
    async take(process: string, owner: string, wanted: number, needed: number): Promise<number> {
      const buckets = [{ key: TOTAL, limit: totalBytes }, ...bucketsOf(owner, ownerBytes)];
      const args = [wanted, needed, ...buckets.flatMap(({ key, limit }) => [limit, key])];
      const [outcome, bytes, exhausted] = await runKnown('take', process, args);
      if (outcome === 'ok') return bytes;
      throw quotaExceeded(bytes, exhausted > 0 ? buckets[exhausted] : undefined);
    },
    /** Releases reserved bytes. */
    async release(process: string, owner: string, bytes: number): Promise<void> {
      await runKnown('release', process, [bytes, TOTAL, ...keysOf(owner)]);
    },
    /** Counts a file instead of the bytes that were reserved for it. */
    async keep(process: string, file: CountedFile, reservedBytes: number): Promise<void> {
      await runKnown('keep', process, [reservedBytes, ...entry(file), TOTAL, ...keysOf(file.owner)]);
    },
    /** Counts stored files that are not counted yet. */
    async add(process: string, files: readonly CountedFile[]): Promise<void> {
      await run('add', process, files.flatMap(entry));
    },
    /** Removes a file from the count, if it is counted. */
    async remove(process: string, file: CountedFile): Promise<void> {
      await run('remove', process, [member(file)]);
    },
    /** Counts one file in place of another. */
    async replace(process: string, counted: CountedFile, file: CountedFile): Promise<void> {
      await run('replace', process, [member(counted), ...entry(file)]);
    },
    /** Removes expired files from the count, in batches; ms since 1970. */
    async expire(process: string, now: number): Promise<void> {
      while ((await run('expire', process, [now, EXPIRE_BATCH])) === EXPIRE_BATCH);
    },
    /** Notes that all files have been counted. */
    async noteCounted(): Promise<void> {
      await redis.client().set(`${prefix}counted`, '1');
    },
  };
}
