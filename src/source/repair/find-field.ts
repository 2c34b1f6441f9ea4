import { type FieldFormat, splitLocation } from '../field-format.ts';
import { ancestorsOf, type Element } from '../markup/elements.ts';
import { findIn } from '../markup/page.ts';
import { selectorsWithin } from './element-selectors.ts';
import type { KnownCard } from './find-cards.ts';
import type { FieldModel, PageModel } from './page-model.ts';
import { attributesOf, RepairError, type Search } from './search.ts';

/** The share of the known cards on which a location must agree, and of all cards on which it must have a value. */
const MIN_SHARE = 0.9;
/** Locations are listed on so many of the known cards. */
const SAMPLES = 8;
const MAX_LOCATIONS = 40;

/** The largest share of the known cards that may contain a value of another anime. */
const MAX_FOREIGN = 0.1;

/** What a location yields on the cards. */
interface Found {
  location: string;
  /** The value of each card that has one. */
  values: ReadonlyMap<Element, unknown>;
  /** The values on known cards that agree with the last good one, or can be its successor. */
  agreeing: readonly unknown[];
  /** The cards with words instead of the value, and how many of them are listed anime. */
  worded: number;
  knownWorded: number;
}

/**
 * Finds the location of a field: the one whose value agrees with the last good listing on nearly all known cards. The
 * written location is kept if it does. Throws RepairError when there is none, or when several disagree on a card. A text
 * in the place of another field does not count: then the contents have changed, not the markup.
 */
export function findField(
  search: Search,
  { fields, selectors }: PageModel<unknown>,
  field: FieldModel,
  cards: readonly KnownCard[],
): string {
  if (field.isUnique) refuseForeign(search, field, cards);
  const known = cards.filter(({ before }) => before);
  const [written = '', ...others] = [field, ...fields].map(({ name }) => selectors[name] ?? '');
  const places = others
    .filter((other) => other !== written)
    .flatMap((other) => search.find(splitLocation(other).selector));
  const taken = new Set(places);
  const examined = [
    examine(search, field, written, cards),
    ...listLocations(search, field, known).map((one) => examine(search, field, one, cards, taken)),
  ];
  const [kept, ...found] = examined;
  const isGood = ({ values, agreeing, worded, knownWorded }: Found) =>
    values.size >= (cards.length - worded) * MIN_SHARE &&
    agreeing.length >= (known.length - knownWorded) * MIN_SHARE &&
    agreeing.length > 0 &&
    worded * 2 <= cards.length;
  if (kept && isGood(kept)) return accept(kept, field, cards);
  const good = found.filter(isGood);
  const most = Math.max(...good.map(({ agreeing }) => agreeing.length));
  const equal = good.filter(({ agreeing }) => agreeing.length === most);
  const [best, ...rivals] = equal.sort((one, other) => other.values.size - one.values.size);
  if (!best) throw new RepairError(`${field.name}: ${describeNearest(examined, known.length)}`);
  if (!field.isUnique && isByChance(search, field, best, cards)) {
    throw new RepairError(
      `${field.name}: all known cards have the same value, and contain other values of this format`,
    );
  }
  const rival = rivals.find((one) => disagree(best, one));
  if (rival)
    throw new RepairError(`${field.name}: ${best.location} and ${rival.location} have different values`);
  return accept(best, field, cards);
}

/** Cards where a location matches no element or several have no value. `taken` are elements whose text does not count. */
function examine(
  search: Search,
  field: FieldModel,
  location: string,
  cards: readonly KnownCard[],
  taken?: ReadonlySet<Element>,
): Found {
  const { selector, attribute } = splitLocation(location);
  const containers = cards.map(({ element }) => element);
  const elements = findIn(search, selector, containers);
  const values = new Map<Element, unknown>();
  const agreeing: unknown[] = [];
  const worded: KnownCard[] = [];
  for (const card of cards) {
    const [element, ...others] = elements.get(card.element) ?? [];
    const isPlace = element && others.length === 0 && (attribute !== undefined || !taken?.has(element));
    const value = isPlace ? search.read(field.format, element, attribute) : undefined;
    if (value !== undefined) values.set(card.element, value);
    else if (isPlace && field.mayHaveWords && search.hasText(field.format, element, attribute))
      worded.push(card);
    if (isPlausible(field, card, value)) agreeing.push(value);
  }
  const knownWorded = worded.filter(({ before }) => before).length;
  return { location, values, agreeing, worded: worded.length, knownWorded };
}

/** Whether all known cards have the same value, and a card has another value of this format, which may be the right one. */
function isByChance(
  search: Search,
  { format }: FieldModel,
  { values, agreeing }: Found,
  cards: readonly KnownCard[],
): boolean {
  const isOther = (card: KnownCard) =>
    listValues(search, format, card).some(({ value }) => value !== values.get(card.element));
  return new Set(agreeing).size < 2 && cards.some((card) => values.has(card.element) && isOther(card));
}

function disagree(one: Found, other: Found): boolean {
  return [...one.values].some(([card, value]) => (other.values.get(card) ?? value) !== value);
}

function accept({ location, values }: Found, { name }: FieldModel, cards: readonly KnownCard[]): string {
  for (const card of cards) {
    const value = values.get(card.element);
    if (value !== undefined) card.now = { ...card.now, [name]: value };
  }
  return location;
}

function describeNearest(examined: readonly Found[], known: number): string {
  const most = Math.max(0, ...examined.map(({ agreeing }) => agreeing.length));
  if (most === 0) return 'nothing in the cards agrees with the last good list';
  return `at most ${most} of ${known} known cards agree with the last good list`;
}

/** Lists the locations of plausible values in the first known cards, the most frequent location first. */
function listLocations(search: Search, field: FieldModel, known: readonly KnownCard[]): string[] {
  const counts = new Map<string, number>();
  for (const card of known.slice(0, SAMPLES)) {
    for (const { element, attribute } of listPlaces(search, field, card)) {
      const suffix = attribute === undefined ? '' : `@${attribute}`;
      const selectors = new Set(selectorsWithin(element, card.element));
      for (const selector of selectors) {
        counts.set(selector + suffix, (counts.get(selector + suffix) ?? 0) + 1);
      }
    }
  }
  const byCount = [...counts].sort(([, one], [, other]) => other - one);
  return byCount.slice(0, MAX_LOCATIONS).map(([location]) => location);
}

/**
 * Lists the elements and attributes of a card that have a plausible value, texts first. Of nested elements only the
 * innermost counts: its ancestors have other texts as well, on this card or on another one.
 */
function listPlaces(search: Search, field: FieldModel, card: KnownCard) {
  const plausible = listValues(search, field.format, card).filter(({ value }) =>
    isPlausible(field, card, value),
  );
  const texts = plausible.filter(({ attribute }) => attribute === undefined);
  const outer = new Set(texts.flatMap(({ element }) => ancestorsOf(element)));
  const innermost = texts.filter(({ element }) => !outer.has(element));
  return [...innermost, ...plausible.filter(({ attribute }) => attribute !== undefined)];
}

/** Whether a value is plausible on the card of a known anime, after its value in the last good listing. */
function isPlausible(
  { name, isPlausible: isPlausibleChange }: FieldModel,
  { before, now }: KnownCard,
  value: unknown,
): boolean {
  return value !== undefined && before !== undefined && isPlausibleChange({ ...now, [name]: value }, before);
}

/** Lists the values of this format in a card, from each element and attribute. */
function listValues(search: Search, format: FieldFormat<unknown>, { places }: KnownCard) {
  return places.flatMap((element) =>
    [undefined, ...attributesOf(element)].flatMap((attribute) => {
      const value = search.read(format, element, attribute);
      return value === undefined ? [] : [{ element, attribute, value }];
    }),
  );
}

/** Throws RepairError when too many cards contain the value that the last good listing has for another anime. */
function refuseForeign(search: Search, { name, format }: FieldModel, cards: readonly KnownCard[]): void {
  const owners = Map.groupBy(search.known.values(), (anime) => anime[name]);
  const isForeign = (value: unknown, { before }: KnownCard) => {
    const [owner, ...others] = owners.get(value) ?? [];
    return owner !== undefined && others.length === 0 && owner !== before;
  };
  const known = cards.filter(({ before }) => before);
  const foreign = known.filter((card) =>
    listValues(search, format, card).some(({ value }) => isForeign(value, card)),
  );
  if (foreign.length <= known.length * MAX_FOREIGN) return;
  throw new RepairError(
    `${name}: ${foreign.length} of ${known.length} known cards have the ${name} of another anime`,
  );
}
