/** Returns a function from a moment (ms since 1970) to how far a time zone is ahead of UTC then, in ms. */
export function zoneOffset(timeZone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (ms) => {
    const [month = 1, day, year = 1970, hour, minute, second] = (format.format(ms).match(/\d+/gu) ?? []).map(
      Number,
    );
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1_000) * 1_000;
  };
}
