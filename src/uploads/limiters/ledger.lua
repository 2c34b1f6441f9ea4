-- The ledger of all processes on a Redis. Every call is one atomic step, which ARGV[1] names. All steps but `register` fail for a
-- process that is not registered.
-- KEYS
--   sums       a hash from bucket to sum
--   entries    a hash from id to the size and the buckets of an entry
--   expiries   a sorted set of the ids of entries
--   removed    a sorted set of removed ids, by the time until which they are remembered
--   processes  a sorted set of names, by the end of their leases
--   counted    exists once all that is stored has been counted
-- ARGV: the step, the prefix of the hashes of what each process holds, the name of the process, its lease in ms, and the
-- arguments of the step.

-- The bucket of all files, as ledger.ts names it.
local ALL_FILES = '*'
-- How long a removed entry is remembered. No request or recount that may still count it takes longer.
local REMOVED_MS = 3600000

local sums, entries, expiries, removed, processes, counted = unpack(KEYS)
local step, prefix, name, lease = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local mine = prefix .. name
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function add(hash, bucket, amount)
  if amount == 0 then return end
  local sum = redis.call('HINCRBY', hash, bucket, string.format('%.0f', amount))
  if sum == 0 then redis.call('HDEL', hash, bucket) end
end
local function hold(bucket, amount)
  add(sums, bucket, amount)
  add(mine, bucket, amount)
end
local function drop(process)
  local held = redis.call('HGETALL', prefix .. process)
  for i = 1, #held, 2 do add(sums, held[i], -tonumber(held[i + 1])) end
  redis.call('DEL', prefix .. process)
  return redis.call('ZREM', processes, process)
end

local function count(entry, sign)
  local size
  for word in entry:gmatch('%S+') do
    if size then add(sums, word, sign * size) else size = tonumber(word) end
  end
end
local function leave(id)
  local entry = redis.call('HGET', entries, id)
  if not entry then return end
  redis.call('HDEL', entries, id)
  redis.call('ZREM', expiries, id)
  count(entry, -1)
end
local function enter(id, expiry, entry)
  leave(id)
  if redis.call('ZSCORE', removed, id) then return end
  redis.call('HSET', entries, id, entry)
  redis.call('ZADD', expiries, expiry, id)
  count(entry, 1)
end
local function remove(id)
  leave(id)
  redis.call('ZADD', removed, now + REMOVED_MS, id)
end

if step == 'register' then
  -- the name before, then what is held: a bucket, the amount, and the limit. It stands when it was held until now, or still fits
  local stands = drop(ARGV[5]) == 1
  local fits = true
  for i = 6, #ARGV, 3 do
    local sum = tonumber(redis.call('HGET', sums, ARGV[i]) or 0)
    fits = fits and sum + tonumber(ARGV[i + 1]) <= tonumber(ARGV[i + 2])
  end
  redis.call('ZADD', processes, now + lease, name)
  if stands or fits then
    for i = 6, #ARGV, 3 do hold(ARGV[i], tonumber(ARGV[i + 1])) end
  end
  return { 'ok', redis.call('EXISTS', counted), (stands or fits) and 1 or 0 }
end
if not redis.call('ZSCORE', processes, name) then return { 'lost' } end

if step == 'heartbeat' then
  redis.call('ZADD', processes, now + lease, name)
  redis.call('ZREMRANGEBYSCORE', removed, '-inf', now)
  -- A lease that ends later than any was begun before the clock was set back.
  local dead = 0
  for _, range in ipairs({ { '-inf', now }, { now + lease + 1, '+inf' } }) do
    for _, process in ipairs(redis.call('ZRANGEBYSCORE', processes, range[1], range[2])) do dead = dead + drop(process) end
  end
  local bytes = tonumber(redis.call('HGET', sums, ALL_FILES) or 0)
  return { 'ok', bytes, redis.call('HLEN', entries), dead }
end
if step == 'take' then
  -- the amounts wanted and needed, then pairs of a bucket and its limit
  local wanted, needed, left = tonumber(ARGV[5]), tonumber(ARGV[6]), nil
  for i = 7, #ARGV, 2 do
    local rest = tonumber(ARGV[i + 1]) - tonumber(redis.call('HGET', sums, ARGV[i]) or 0)
    if rest < needed then return { 'full', rest, (i - 7) / 2 } end
    if not left or rest < left then left = rest end
  end
  local amount = math.min(wanted, left)
  for i = 7, #ARGV, 2 do hold(ARGV[i], amount) end
  return { 'ok', amount }
end
if step == 'give' then
  -- what was taken, the number of its buckets, these, and each entry that is counted instead, with its id and expiry
  local last = 6 + ARGV[6]
  for i = 7, last do hold(ARGV[i], -tonumber(ARGV[5])) end
  for i = last + 1, #ARGV, 3 do enter(ARGV[i], ARGV[i + 1], ARGV[i + 2]) end
elseif step == 'remove' then
  remove(ARGV[5])
elseif step == 'leave' then
  for i = 5, #ARGV do leave(ARGV[i]) end
elseif step == 'correct' then
  -- for each entry: the id, the expiry, the size that it is known to have, and the new entry; both may be empty
  for i = 5, #ARGV, 4 do
    local size = (redis.call('HGET', entries, ARGV[i]) or ''):match('%d+')
    if tonumber(size) == tonumber(ARGV[i + 2]) then
      if ARGV[i + 3] == '' then leave(ARGV[i]) else enter(ARGV[i], ARGV[i + 1], ARGV[i + 3]) end
    end
  end
elseif step == 'counted' then
  redis.call('SET', counted, '1')
elseif step == 'unregister' then
  drop(name)
end
return { 'ok' }
