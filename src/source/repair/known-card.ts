import type { FieldFormat } from '../field-format.ts';
import type { Element } from '../markup/elements.ts';
import type { FieldModel, KnownAnime } from './page-model.ts';
import { attributesOf, elementsIn, RepairError, type Search } from './search.ts';

/** The largest share of the known cards that may contain a value of another anime. */
const MAX_FOREIGN = 0.1;

/** A card, and its anime in the last good listing. `now` gets each field that is found. */
export interface KnownCard {
  element: Element;
  before: KnownAnime | undefined;
  now: KnownAnime;
}

/** Whether a value is plausible on the card of a known anime, after its value in the last good listing. */
export function isPlausible(
  { key, isPlausible: isPlausibleChange }: FieldModel,
  { before, now }: KnownCard,
  value: unknown,
): boolean {
  return value !== undefined && before !== undefined && isPlausibleChange({ ...now, [key]: value }, before);
}

/** Returns all values of this format in a card, from each element and attribute. */
export function readAll(search: Search, format: FieldFormat<unknown>, card: Element): unknown[] {
  return elementsIn(search, card).flatMap((element) =>
    [undefined, ...attributesOf(element)].flatMap(
      (attribute) => search.read(format, element, attribute) ?? [],
    ),
  );
}

/** Throws RepairError when too many cards contain the value that the last good listing has for another anime. */
export function refuseForeign(
  search: Search,
  { name, key, format }: FieldModel,
  cards: readonly KnownCard[],
): void {
  const owners = Map.groupBy(search.known.values(), (anime) => anime[key]);
  const isForeign = (value: unknown, { before }: KnownCard) => {
    const [owner, ...others] = owners.get(value) ?? [];
    return owner !== undefined && others.length === 0 && owner !== before;
  };
  const known = cards.filter(({ before }) => before);
  const foreign = known.filter((card) =>
    readAll(search, format, card.element).some((value) => isForeign(value, card)),
  );
  if (foreign.length <= known.length * MAX_FOREIGN) return;
  throw new RepairError(
    `${name}: ${foreign.length} of ${known.length} known cards have the ${name} of another anime`,
  );
}
