import type { Element } from '../markup/elements.ts';
import { selectorsWithin } from './element-selectors.ts';
import { isPlausible, type KnownCard } from './known-card.ts';
import type { FieldModel } from './page-model.ts';
import { elementsIn, type Search, sample } from './search.ts';

const SAMPLES = 8;
const MAX_LOCATIONS = 40;

/** Lists the locations of plausible values in a sample of the known cards, the most frequent location first. */
export function listLocations(search: Search, field: FieldModel, known: readonly KnownCard[]): string[] {
  const counts = new Map<string, number>();
  for (const card of sample(known, SAMPLES)) {
    for (const { element, attribute } of listPlaces(search, field, card)) {
      const suffix = attribute === undefined ? '' : `@${attribute}`;
      const selectors = new Set(selectorsWithin(search, element, card.element));
      search.spend(selectors.size * 2);
      for (const selector of selectors) {
        counts.set(selector + suffix, (counts.get(selector + suffix) ?? 0) + 1);
      }
    }
  }
  const byCount = [...counts].sort(([, one], [, other]) => other - one);
  return byCount.slice(0, MAX_LOCATIONS).map(([location]) => location);
}

/**
 * Lists the elements and attributes of a card that have a plausible value. Of nested elements only the innermost counts:
 * its ancestors have other texts as well, on this card or on another one.
 */
function listPlaces(search: Search, field: FieldModel, card: KnownCard) {
  const places: { element: Element; attribute: string | undefined }[] = [];
  const outer = new Set<Element>();
  for (const element of elementsIn(search, card.element).reverse()) {
    for (const attribute of [undefined, ...search.attributesOf(element)]) {
      if (attribute === undefined && outer.has(element)) continue;
      if (!isPlausible(field, card, search.read(field.format, element, attribute))) continue;
      places.push({ element, attribute });
      if (attribute === undefined) for (const one of search.ancestorsOf(element)) outer.add(one);
    }
  }
  return places;
}
