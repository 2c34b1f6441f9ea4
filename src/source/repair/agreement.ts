import { MIN_KNOWN } from './find-cards.ts';
import type { FieldModel, PageModel, Selectors } from './page-model.ts';
import type { SearchedPage } from './search.ts';

/** The largest share of the known cards that may disagree in a field, and of the cards that may be unreadable. */
const MAX_SHARE = 0.1;

/** How a parsed page agrees with the last good listing. */
export interface Agreement {
  /** The numbers of readable and of unreadable cards. */
  readable: number;
  unreadable: number;
  /** The number of records of known anime, and on how many of them each field agrees. */
  known: number;
  agreeing: Record<string, number>;
}

/** A page as some selectors read it. */
export interface Trial<Parsed> {
  selectors: Selectors;
  parsed: Parsed;
  agreement: Agreement;
}

/** Reads a page, and compares it with the last good listing. Throws an AppError like the parser. */
export function trySelectors<Parsed>(
  selectors: Selectors,
  { read, count, fields, groupField }: PageModel<Parsed>,
  { page, pageUrl, known }: SearchedPage,
): Trial<Parsed> {
  const parsed = read(page, pageUrl, selectors);
  const { records, unreadable } = count(parsed);
  const pairs = records.flatMap((now) => {
    const before = known.get(now.slug);
    return before ? [{ now, before }] : [];
  });
  const countPairs = ({ isPlausible }: Pick<FieldModel, 'isPlausible'>) =>
    pairs.filter(({ now, before }) => isPlausible(now, before)).length;
  const compared = groupField ? [...fields, groupField] : fields;
  const agreeing = Object.fromEntries(compared.map((field) => [field.name, countPairs(field)]));
  const agreement = { readable: records.length, unreadable, known: pairs.length, agreeing };
  return { selectors, parsed, agreement };
}

/** Why too many cards are no records, or too many records of known anime disagree in a field; undefined for few. */
export function describeDisagreement(agreement: Agreement): string | undefined {
  const { readable, unreadable, known, agreeing } = agreement;
  const all = readable + unreadable;
  if (readable === 0 || isTooMany(unreadable, all)) return `${unreadable} of ${all} cards cannot be read`;
  const field = Object.entries(agreeing).find(([, count]) => isTooMany(known - count, known));
  return field && `${field[0]}: ${field[1]} of ${known} known anime agree with the last good list`;
}

/** One card in a short page may be an exception. */
function isTooMany(count: number, all: number): boolean {
  return count > Math.max(1, all * MAX_SHARE);
}

/** Whether a page may have changed its markup: read by the written selectors, many cards are unreadable or disagree. */
export function isSuspect({ fields }: PageModel<unknown>, agreement: Agreement): boolean {
  const { readable, unreadable, known, agreeing } = agreement;
  const isUnread = readable === 0 || unreadable > (readable + unreadable) * MAX_SHARE;
  const isOther = ({ name, isUnique }: FieldModel) => isUnique && (agreeing[name] ?? 0) * 2 < known;
  return isUnread || (known >= MIN_KNOWN && fields.some(isOther));
}
