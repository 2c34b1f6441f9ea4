import { LAST_PAGE, listPath, SCHEDULE } from '../support/sample-pages.ts';

/**
 * Broken pages that cannot be distinguished from whole ones, because the site could have printed each of them. Any other
 * mutation that makes an anime disappear shows a defect.
 */
export const KNOWN_GAPS: {
  name: string;
  why: string;
  isIt: (path: string, kind: string, name: string) => boolean;
}[] = [
  {
    name: 'the last page of the list has fewer cards',
    why: 'nothing says how many it should have, and an anime without a day is not in the schedule either; after a good crawl it is reported as one that left the list',
    isIt: (path, kind) =>
      path === listPath(LAST_PAGE) &&
      /^(?:cards? dropped|element (?:removed|emptied|commented out)|tags? .*|start tag lost|end tag lost)$/u.test(
        kind,
      ),
  },
  {
    name: 'a card of the last page links to no anime of this site',
    why: 'such an item is no card; nothing says how many the last page should have',
    isIt: (path, _kind, name) =>
      path === listPath(LAST_PAGE) && /^link (?:escaped twice|a script|very long)/u.test(name),
  },
  {
    name: "a card stands in another's place",
    why: 'a list that moves while it is read shows cards twice, so a repeated card is no fault; after a good crawl the other one is reported as one that left',
    isIt: (path, kind) => path !== SCHEDULE && kind === "card in another's place",
  },
];
