-- Counts a request in each of the buckets KEYS, or in none of them when one is full. A bucket is a list of the times of its
-- requests, in microseconds, oldest first; it expires with its window. When the clock has been set back by less than a window,
-- the newest request counts as now; when by more, the bucket is dropped.
-- ARGV: the window in microseconds, `take` or `peek`, the time or an empty string for the time of Redis, and the limits.
-- Returns whether the request is allowed, and for each bucket the number of its requests and the time until the oldest leaves
-- the window.

local window, takes, now = tonumber(ARGV[1]), ARGV[2] == 'take', tonumber(ARGV[3])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end
for _, key in ipairs(KEYS) do
  local newest = tonumber(redis.call('LINDEX', key, -1))
  if newest and newest - now > window then redis.call('DEL', key)
  elseif newest and newest > now then now = newest end
end

local oldest, counted, counts = {}, {}, takes
for i, key in ipairs(KEYS) do
  oldest[i] = tonumber(redis.call('LINDEX', key, 0))
  while oldest[i] and now - oldest[i] >= window do
    redis.call('LPOP', key)
    oldest[i] = tonumber(redis.call('LINDEX', key, 0))
  end
  counted[i] = redis.call('LLEN', key)
  counts = counts and counted[i] < tonumber(ARGV[3 + i])
end

local answer = { counts and 1 or 0 }
for i, key in ipairs(KEYS) do
  if counts then
    counted[i] = redis.call('RPUSH', key, string.format('%.0f', now))
    redis.call('PEXPIRE', key, math.ceil(window / 1000) + 1)
  end
  answer[2 * i] = counted[i]
  answer[2 * i + 1] = counted[i] > 0 and window - (now - (oldest[i] or now)) or 0
end
return answer
