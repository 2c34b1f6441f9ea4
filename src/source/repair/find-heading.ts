import { ancestorsOf, type Element } from '../markup/elements.ts';
import { MAX_CANDIDATES, matchesOnly, selectorsWithin } from './element-selectors.ts';
import type { Cards } from './find-cards.ts';
import type { HeadingModel } from './page-model.ts';
import { RepairError, type Search } from './search.ts';

/** The most nodes of a heading, which is a word or two. */
const MAX_SIZE = 20;
const MAX_HEADINGS = 100;

/** Finds a selector that matches, within the frame, the headings of the groups of cards and no other element. */
export function findHeading(search: Search, original: string, model: HeadingModel, cards: Cards): string {
  const headings = listHeadings(search, model, cards);
  const own = headings.slice(0, 1).flatMap((first) => [...selectorsWithin(first, undefined)]);
  const found = [original, ...own.slice(0, MAX_CANDIDATES)].find((selector) =>
    matchesOnly(search, `${cards.frame} ${selector}`, headings),
  );
  if (found === undefined) throw new RepairError('heading: no selector matches the headings alone');
  return found;
}

/** Lists the outermost elements in the frame, outside the cards, whose text is that of a heading. */
function listHeadings(search: Search, { format }: HeadingModel, { frame, cards }: Cards): Element[] {
  const frames = new Set(search.find(frame));
  const closed = new Set(cards.map(({ element }) => element));
  const headings: Element[] = [];
  for (const element of search.page.elements) {
    if (search.sizeOf(element) > MAX_SIZE) continue;
    const around = search.read(format, element) === undefined ? [] : [element, ...ancestorsOf(element)];
    if (!around.some((one) => frames.has(one)) || around.some((one) => closed.has(one))) continue;
    closed.add(element);
    headings.push(element);
    if (headings.length > MAX_HEADINGS)
      throw new RepairError(`more than ${MAX_HEADINGS} elements could be a heading`);
  }
  return headings;
}
