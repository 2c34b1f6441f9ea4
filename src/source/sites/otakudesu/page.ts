import { type CheerioAPI, load } from 'cheerio/slim';
import { AppError } from '../../../domain/errors.ts';
import { readSlug } from '../../address.ts';

/** The frames of the list and of the schedule. They count, not the cards: an empty list of the site is the site's. */
const FRAMES = ['.venz', '.kgjdwl321', '.kglist321'];

/** A page of the site is nested twenty deep; one that is built to be deep takes minutes to search. */
const DEEPEST = 200;

export type Element = ReturnType<ReturnType<CheerioAPI>['find']>[number];

/** A page whose elements were looked at once: a dozen searches of its tree would cost twice what parsing it does. */
export interface Page {
  /** What matches `tag`, `.class`, or one of them within another (`.thumb a`), in the order of the page. */
  find(selector: string): Element[];
  textOf(element: Element | undefined): string;
}

/** Loads a page of the site. Throws AppError `source-moved` when no frame is there: the page is somebody else's. */
export function openPage(html: string): Page {
  const $ = load(html);
  const index = indexElements($);
  const page: Page = {
    find(selector) {
      const [name = '', ...around] = selector.split(' ').reverse();
      const found = index.get(name) ?? [];
      if (around.length === 0) return found;
      const frames = around.map((frame) => new Set(index.get(frame)));
      return found.filter((element) => frames.every((frame) => isWithin(element, frame)));
    },
    textOf: (element) => $.text(element ? [element] : []),
  };
  if (!FRAMES.some((frame) => index.has(frame))) refuseForeign(page);
  return page;
}

function refuseForeign(page: Page): never {
  const title = page.textOf(page.find('title')[0]).replace(/\s+/gu, ' ').trim().slice(0, 80);
  throw new AppError(
    'source-moved',
    `the page is not the site's: it has neither a list nor a schedule${title ? `, and is titled "${title}"` : ''}; set SOURCE_URLS to the site's present address`,
  );
}

/** Every element by its tag and by each of its classes. */
function indexElements($: CheerioAPI): Map<string, Element[]> {
  const index = new Map<string, Element[]>();
  const add = (name: string, element: Element) => {
    const known = index.get(name);
    if (known) known.push(element);
    else index.set(name, [element]);
  };
  const visit = (nodes: readonly object[], depth: number) => {
    if (depth > DEEPEST) throw new AppError('source-changed', `the page is nested more than ${DEEPEST} deep`);
    for (const node of nodes) {
      if (!isElement(node)) continue;
      add(node.name, node);
      for (const name of new Set(node.attribs.class?.split(/\s+/u))) add(`.${name}`, node);
      visit(node.children, depth + 1);
    }
  };
  visit($.root().contents().toArray(), 0);
  return index;
}

function isElement(node: object): node is Element {
  return 'attribs' in node;
}

export function isWithin(element: Element, frames: ReadonlySet<Element>): boolean {
  return ancestorsOf(element).some((ancestor) => frames.has(ancestor));
}

/** From the nearest to the outermost. */
export function ancestorsOf(element: Element): Element[] {
  const ancestors: Element[] = [];
  for (let node = element.parent; node && isElement(node); node = node.parent) ancestors.push(node);
  return ancestors;
}

/** The slugs of all anime that the page links to, each once. */
export function readLinked(page: Page, pageUrl: string): string[] {
  const addresses = new Set(readAddresses(page).filter((address) => address.includes('/anime/')));
  return [...new Set([...addresses].flatMap((address) => readSlug(address, pageUrl) ?? []))];
}

/** Where all links of the page lead, as they are written. */
export function readAddresses(page: Page): string[] {
  return page.find('a').flatMap((link) => link.attribs.href ?? []);
}
