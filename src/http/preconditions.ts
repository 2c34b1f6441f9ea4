/** The message of a 412. */
export const PRECONDITION_FAILED =
  'this is not the version that If-Match or If-Unmodified-Since names; leave them out to get the current one';

/** The request headers that make a request conditional. */
export interface Preconditions {
  'if-match'?: string | undefined;
  'if-none-match'?: string | undefined;
  'if-modified-since'?: string | undefined;
  'if-unmodified-since'?: string | undefined;
}

/** What conditions are compared with: the current version of a document or a file. All its tags are strong. */
interface Validators {
  /** When the content last changed, ms since 1970. */
  changedAt: number;
  variants: readonly { etag: string }[];
}

/** Evaluates the conditions of a GET or HEAD, in the order of RFC 9110, section 13.2.2. */
export function checkPreconditions(
  conditions: Preconditions,
  current: Validators,
): 'proceed' | 'not-modified' | 'failed' {
  const { 'if-match': match, 'if-unmodified-since': unmodifiedSince } = conditions;
  if (match !== undefined) {
    if (!hasTag(match, current, { allowsWeak: false })) return 'failed';
  } else if (unmodifiedSince !== undefined && isModifiedSince(unmodifiedSince, current) === true) {
    return 'failed';
  }
  const { 'if-none-match': noneMatch, 'if-modified-since': modifiedSince } = conditions;
  if (noneMatch !== undefined) {
    return hasTag(noneMatch, current, { allowsWeak: true }) ? 'not-modified' : 'proceed';
  }
  const isUnmodified = modifiedSince !== undefined && isModifiedSince(modifiedSince, current) === false;
  return isUnmodified ? 'not-modified' : 'proceed';
}

/** Whether `If-Range` names the current version: by a strong tag, or by the date of the last change. */
export function isSameRange(ifRange: string, current: Validators): boolean {
  if (current.variants.some(({ etag }) => etag === ifRange.trim())) return true;
  return parseHttpDate(ifRange, current.changedAt) === toWholeSeconds(current.changedAt);
}

/** A tag in a list of tags; anything else in the list is skipped. */
const TAG = /(?<=^|[\s,])(?<weak>W\/)?(?<tag>"[^"]*")(?=\s*(?:,|$))/gu;

function hasTag(list: string, { variants }: Validators, { allowsWeak }: { allowsWeak: boolean }): boolean {
  if (list === variants[0]?.etag || list.trim() === '*') return true;
  for (const { groups } of list.matchAll(TAG)) {
    const isComparable = allowsWeak || !groups?.weak;
    if (isComparable && variants.some(({ etag }) => etag === groups?.tag)) return true;
  }
  return false;
}

/** Undefined for a date that cannot be parsed, which makes the condition void. */
function isModifiedSince(date: string, { changedAt }: Validators): boolean | undefined {
  const since = parseHttpDate(date, changedAt);
  return since === undefined ? undefined : toWholeSeconds(changedAt) > since;
}

/** `Last-Modified` has no fractions of a second. */
function toWholeSeconds(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}

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
