import { type Element, groupByContainer, isWithin } from '../../markup/elements.ts';
import type { Page } from '../../markup/page.ts';
import type { ScheduleSelectors } from './selectors.ts';

interface Group {
  headings: Element[];
  entries: Element[];
}

/**
 * Sorts the entries of the schedule into groups. `ungrouped` are entries outside all groups, and entries before the
 * heading of their group: where a heading is missing, the next group and its heading may be in the same element.
 */
export function findGroups(
  page: Page,
  selectors: ScheduleSelectors,
): { groups: Group[]; ungrouped: Element[] } {
  const { frame, group, heading, entry } = selectors;
  if (group === '') return findFlatGroups(page, selectors);
  const containers = page.find(group);
  const headings = groupByContainer(page.find(`${group} ${heading}`), containers);
  const items = groupByContainer(page.find(`${group} ${entry}`), containers);
  const containerSet = new Set(containers);
  const ungrouped = page.find(`${frame} ${entry}`).filter((item) => !isWithin(item, containerSet));
  const groups = containers.map((one) => {
    const [first] = headings.get(one) ?? [];
    const isHeaded = (item: Element) => !first || page.orderOf(first) < page.orderOf(item);
    const { headed = [], unheaded = [] } = Object.groupBy(items.get(one) ?? [], (item) =>
      isHeaded(item) ? 'headed' : 'unheaded',
    );
    ungrouped.push(...unheaded);
    return { headings: headings.get(one) ?? [], entries: headed };
  });
  return { groups, ungrouped };
}

/** Assigns each entry to the last heading before it, on pages where no element contains a heading and its entries. */
function findFlatGroups(page: Page, { frame, heading, entry }: ScheduleSelectors) {
  const groups: Group[] = [];
  const ungrouped: Element[] = [];
  const headings = new Set(page.find(`${frame} ${heading}`));
  const inOrder = [...headings, ...page.find(`${frame} ${entry}`)].sort(
    (one, other) => page.orderOf(one) - page.orderOf(other),
  );
  for (const element of inOrder) {
    if (headings.has(element)) groups.push({ headings: [element], entries: [] });
    else (groups.at(-1)?.entries ?? ungrouped).push(element);
  }
  return { groups, ungrouped };
}
