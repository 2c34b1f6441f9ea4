import { type Element, groupByContainer } from '../markup/elements.ts';
import { splitLocation } from '../markup/selector.ts';
import { type KnownCard, readAll, refuseForeign } from './known-card.ts';
import { follows, listLocations } from './list-locations.ts';
import type { FieldModel } from './page-model.ts';
import { Doubt, type Search } from './search.ts';

/** The share of the known cards that a location must explain, and of all cards that it must have a value on. */
const MIN_SHARE = 0.9;
interface Found {
  location: string;
  /** The element of each card that has one, and its value. */
  elements: ReadonlyMap<Element, Element>;
  values: ReadonlyMap<Element, unknown>;
  /** On how many known cards the value can follow on the last good one. */
  agreeing: number;
  /** How many different values these have. */
  different: number;
}

/**
 * Finds where a field stands: the location whose value agrees with the last good listing on nearly all known cards. The
 * original one is kept where it does. Throws Doubt when there is none, or when several disagree on a card.
 */
export function findField(
  search: Search,
  field: FieldModel,
  original: string,
  cards: readonly KnownCard[],
): string {
  if (field.isOwn) refuseForeign(search, field, cards);
  const known = cards.filter(({ before }) => before);
  const examined = [original, ...listLocations(search, field, known)].map((one) =>
    examine(search, field, one, cards),
  );
  const [kept, ...others] = examined;
  const isGood = (one: Found) => isProven(one, cards.length, known.length);
  if (kept && isGood(kept)) return accept(kept, field, cards);
  const good = others.filter(isGood);
  const most = Math.max(...good.map(({ agreeing }) => agreeing));
  const equal = good.filter(({ agreeing }) => agreeing === most);
  const [best, ...rivals] = equal.sort(
    (one, other) => other.values.size - one.values.size || weigh(one.location) - weigh(other.location),
  );
  if (!best) throw new Doubt(`${field.name}: ${describeNearest(examined, known.length)}`);
  if (isWeak(field, best) && !isAlone(search, field, best)) {
    throw new Doubt(`${field.name}: the known cards all have the same one, and other values beside it`);
  }
  const rival = rivals.find((one) => disagree(best, one));
  if (rival) throw new Doubt(`${field.name}: ${best.location} and ${rival.location} say different things`);
  return accept(best, field, cards);
}

/** The elements that a location matches, by card; the original locations of two fields are compared by it. */
export function elementsAt(
  search: Search,
  location: string,
  cards: readonly KnownCard[],
): ReadonlyMap<Element, Element> {
  const containers = cards.map(({ element }) => element);
  const matches = search.find(splitLocation(location).selector, new Set(containers));
  const found = groupByContainer(
    matches.filter((one) => !search.around(one).some(({ name }) => name === 'noscript')),
    containers,
  );
  return new Map([...found].flatMap(([card, all]) => (all.length === 1 && all[0] ? [[card, all[0]]] : [])));
}

function examine(search: Search, field: FieldModel, location: string, cards: readonly KnownCard[]): Found {
  const { attribute } = splitLocation(location);
  const elements = elementsAt(search, location, cards);
  const values = new Map<Element, unknown>();
  const agreed = new Set<unknown>();
  let agreeing = 0;
  for (const card of cards) {
    const element = elements.get(card.element);
    const value = element && search.read(field.form, element, attribute);
    if (value === undefined) continue;
    values.set(card.element, value);
    if (!follows(field, card, value)) continue;
    agreeing += 1;
    agreed.add(value);
  }
  return { location, elements, values, agreeing, different: agreed.size };
}

function isProven({ values, agreeing }: Found, cards: number, known: number): boolean {
  return values.size >= cards * MIN_SHARE && agreeing >= known * MIN_SHARE;
}

/** A value that is short and the same on all known cards may stand anywhere. */
function isWeak({ isOwn }: FieldModel, { different }: Found): boolean {
  return !isOwn && different < 2;
}

/** What a person would rather write weighs less: a text than an attribute, a class than a tag, any name than a place. */
function weigh(location: string): number {
  const { selector, attribute } = splitLocation(location);
  const steps = selector.split(' ').length;
  return steps + (attribute ? 4 : 0) + (/[.#]/u.test(selector) ? 0 : 2) + (selector.includes(':') ? 20 : 0);
}

/** Whether nothing else in the cards has the form of the field. */
function isAlone(search: Search, { form }: FieldModel, { values }: Found): boolean {
  return [...values].every(([card, value]) => readAll(search, form, card).every((one) => one === value));
}

function disagree(one: Found, other: Found): boolean {
  return [...one.values].some(([card, value]) => (other.values.get(card) ?? value) !== value);
}

function accept({ location, values }: Found, { key }: FieldModel, cards: readonly KnownCard[]): string {
  for (const card of cards) {
    const value = values.get(card.element);
    if (value !== undefined) card.now = { ...card.now, [key]: value };
  }
  return location;
}

function describeNearest(examined: readonly Found[], known: number): string {
  const most = Math.max(0, ...examined.map(({ agreeing }) => agreeing));
  if (most === 0) return 'nothing in the cards agrees with the last good list';
  return `at most ${most} of ${known} known cards agree with the last good list`;
}
