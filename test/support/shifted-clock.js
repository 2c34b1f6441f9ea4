/*
 * Shifts `Date` by CLOCK_OFFSET_MS, so that tests run at another moment: `NODE_OPTIONS=--import=…` loads it in every process
 * and thread, all with the same offset. Timers, `performance` and the times of files are not shifted.
 */
const offsetMs = Number(process.env.CLOCK_OFFSET_MS ?? 0);
if (!Number.isSafeInteger(offsetMs))
  throw new Error('CLOCK_OFFSET_MS must be a whole number of milliseconds');

const RealDate = Date;
const now = () => RealDate.now() + offsetMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, parts, called) => Reflect.construct(target, parts.length > 0 ? parts : [now()], called),
  apply: (target) => new target(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
