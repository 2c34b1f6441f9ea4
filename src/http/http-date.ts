const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const LONG_DAY = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day';
const MONTH = `(?<month>${MONTHS.join('|')})`;
const TIME = '(?<hour>[01]\\d|2[0-3]):(?<minute>[0-5]\\d):(?<second>[0-5]\\d|60)';

/** The three forms of RFC 9110, section 5.6.7: IMF-fixdate, RFC 850, and asctime. */
const FORMS = [
  new RegExp(`^${DAY}, (?<day>\\d\\d) ${MONTH} (?<year>\\d{4}) ${TIME} GMT$`, 'u'),
  new RegExp(`^${LONG_DAY}, (?<day>\\d\\d)-${MONTH}-(?<year>\\d\\d) ${TIME} GMT$`, 'u'),
  new RegExp(`^${DAY} ${MONTH} (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})$`, 'u'),
];

/**
 * Parses an HTTP date into ms since 1970; undefined for anything else, 31 February included. The name of the weekday is
 * not checked. A year of two digits is the last one that is less than 50 years after `referenceTime` (ms since 1970).
 */
export function parseHttpDate(text: string, referenceTime: number): number | undefined {
  for (const form of FORMS) {
    const parts = form.exec(text)?.groups;
    if (parts) return toTime(parts, referenceTime);
  }
  return undefined;
}

function toTime(parts: Record<string, string>, referenceTime: number): number | undefined {
  const { day, month = '', year = '', hour, minute, second } = parts;
  const date = new Date(0);
  const full = year.length === 2 ? expandYear(Number(year), referenceTime) : Number(year);
  date.setUTCFullYear(full, MONTHS.indexOf(month), Number(day));
  if (date.getUTCDate() !== Number(day)) return undefined;
  return date.setUTCHours(Number(hour), Number(minute), Number(second));
}

function expandYear(year: number, referenceTime: number): number {
  const last = new Date(referenceTime).getUTCFullYear() + 50;
  const inCentury = last - (last % 100) + year;
  return inCentury > last ? inCentury - 100 : inCentury;
}
