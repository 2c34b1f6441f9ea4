import { parseHttpDate } from './http-date.ts';

/** The request headers that make a request conditional. */
export interface Preconditions {
  'if-match'?: string | undefined;
  'if-none-match'?: string | undefined;
  'if-modified-since'?: string | undefined;
  'if-unmodified-since'?: string | undefined;
}

/** What conditions are compared with. All tags are strong, and every one of them is current. */
export interface Validators {
  /** ms since 1970. */
  changedAt: number;
  variants: readonly { etag: string }[];
}

/** Evaluates the conditions of a GET or HEAD in the order of RFC 9110, section 13.2.2. */
export function checkPreconditions(
  conditions: Preconditions,
  current: Validators,
): 'proceed' | 'not-modified' | 'failed' {
  const { 'if-match': match, 'if-unmodified-since': unmodifiedSince } = conditions;
  if (match !== undefined) {
    if (!hasTag(match, current, { isWeakEnough: false })) return 'failed';
  } else if (unmodifiedSince !== undefined && isModifiedSince(unmodifiedSince, current) === true) {
    return 'failed';
  }
  const { 'if-none-match': noneMatch, 'if-modified-since': modifiedSince } = conditions;
  if (noneMatch !== undefined) {
    return hasTag(noneMatch, current, { isWeakEnough: true }) ? 'not-modified' : 'proceed';
  }
  const isOld = modifiedSince !== undefined && isModifiedSince(modifiedSince, current) === false;
  return isOld ? 'not-modified' : 'proceed';
}

/** Whether `If-Range` names exactly what there is: a strong tag, or the date of the last change. */
export function isSameRange(ifRange: string, current: Validators): boolean {
  if (current.variants.some(({ etag }) => etag === ifRange.trim())) return true;
  return parseHttpDate(ifRange, current.changedAt) === toWholeSeconds(current.changedAt);
}

/** An element of a list of tags; what is no tag is skipped. */
const TAG = /(?<=^|[\s,])(?<weak>W\/)?(?<tag>"[^"]*")(?=\s*(?:,|$))/gu;

function hasTag(
  list: string,
  { variants }: Validators,
  { isWeakEnough }: { isWeakEnough: boolean },
): boolean {
  if (list === variants[0]?.etag || list.trim() === '*') return true;
  for (const { groups } of list.matchAll(TAG)) {
    const isCompared = isWeakEnough || !groups?.weak;
    if (isCompared && variants.some(({ etag }) => etag === groups?.tag)) return true;
  }
  return false;
}

/** Undefined when it is not a date: such a condition is ignored. */
function isModifiedSince(date: string, { changedAt }: Validators): boolean | undefined {
  const since = parseHttpDate(date, changedAt);
  return since === undefined ? undefined : toWholeSeconds(changedAt) > since;
}

/** `Last-Modified` has no fractions. */
function toWholeSeconds(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}
