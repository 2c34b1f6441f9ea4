import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../domain/errors.ts';

/** What conditions are compared with: the current version of a document or a file. All its tags are strong. */
interface Validators {
  /** When the content last changed, ms since 1970. */
  changedAt: number;
  variants: readonly { etag: string }[];
}

/**
 * Evaluates the conditions of a GET or HEAD, in the order of RFC 9110, section 13.2.2: whether the client has the current
 * version already. Throws AppError `precondition-failed`.
 */
export function isNotModified(conditions: IncomingHttpHeaders, current: Validators): boolean {
  const { 'if-match': match, 'if-unmodified-since': unmodifiedSince } = conditions;
  const { 'if-none-match': noneMatch, 'if-modified-since': modifiedSince } = conditions;
  const isCurrent =
    match === undefined
      ? isModifiedSince(unmodifiedSince, current) !== true
      : hasTag(match, current, { allowsWeak: false });
  if (!isCurrent) {
    const named = 'this is not the version that If-Match or If-Unmodified-Since names';
    throw new AppError('precondition-failed', `${named}; leave them out to get the current one`);
  }
  if (noneMatch !== undefined) return hasTag(noneMatch, current, { allowsWeak: true });
  return isModifiedSince(modifiedSince, current) === false;
}

/** Whether `If-Range` names the current version: by a strong tag, or by the date of the last change. */
export function isSameRange(ifRange: string, current: Validators): boolean {
  if (current.variants.some(({ etag }) => etag === ifRange.trim())) return true;
  return parseHttpDate(ifRange) === toWholeSeconds(current.changedAt);
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

/** Undefined without a date, and for one that cannot be parsed, which makes the condition void. */
function isModifiedSince(date: string | undefined, { changedAt }: Validators): boolean | undefined {
  const since = date === undefined ? undefined : parseHttpDate(date);
  return since === undefined ? undefined : toWholeSeconds(changedAt) > since;
}

/** `Last-Modified` has no fractions of a second. */
function toWholeSeconds(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}

const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}';
const TIME = '\\d\\d:\\d\\d:\\d\\d';
/** The three forms of RFC 9110, section 5.6.7: IMF-fixdate and RFC 850; asctime, which names no zone. */
const HTTP_DATE = new RegExp(
  `^${DAY}(?:, (\\d\\d)[ -][A-Z][a-z]{2}[ -]\\d{2,4} ${TIME} GMT| [A-Z][a-z]{2} ([ \\d]\\d) ${TIME} \\d{4})$`,
  'u',
);

/** Parses an HTTP date into ms since 1970; undefined for anything else, 31 February included. */
function parseHttpDate(text: string): number | undefined {
  const [date, day, dayOfAsctime] = HTTP_DATE.exec(text) ?? [];
  const time = Date.parse(dayOfAsctime ? `${date} GMT` : String(date));
  return new Date(time).getUTCDate() === Number(day ?? dayOfAsctime) ? time : undefined;
}
