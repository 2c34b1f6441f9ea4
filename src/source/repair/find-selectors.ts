import { AppError } from '../../domain/errors.ts';
import { type Cards, findCards } from './find-cards.ts';
import { elementsAt, findField } from './find-field.ts';
import { findGroups } from './find-groups.ts';
import { type Familiarity, findLinks, findOwners, judgeFamiliarity } from './find-links.ts';
import { findPager } from './find-pager.ts';
import type { KnownCard } from './known-card.ts';
import type { PageModel, Selectors } from './page-model.ts';
import { isProven, type Proof, provePage } from './prove-page.ts';
import { Doubt, type Search } from './search.ts';

export interface FoundSelectors<Parsed> {
  selectors: Selectors;
  parsed: Parsed;
  proof: Proof;
}

interface FindOptions {
  /** The number of the page in its list. */
  asked: number;
  mayRepair: boolean;
}

/**
 * Finds the selectors of a page anew from what is known of its anime. Throws Doubt when they cannot be found, or when
 * two lists of the page say different things. Does not search a page that does not link enough known anime.
 */
export function findSelectors<Parsed>(
  search: Search,
  model: PageModel<Parsed>,
  { asked, mayRepair }: FindOptions,
): FoundSelectors<Parsed> | Exclude<Familiarity, 'known'> {
  const links = findLinks(search, model.link);
  const familiarity = judgeFamiliarity(search, links);
  if (familiarity !== 'known') return familiarity;
  if (!mayRepair) throw new Doubt('they are found anew by a whole crawl only');
  const slugs = findOwners(search, links, ({ slug }) => slug);
  const doubts: string[] = [];
  const found = findCards(search, model, links).flatMap((list) => {
    for (const cards of list) {
      try {
        return [findIn(search, model, cards, slugs, asked)];
      } catch (error) {
        if (!(error instanceof Doubt || error instanceof AppError)) throw error;
        doubts.push(error.message);
      }
    }
    return [];
  });
  const [best, ...others] = found.sort((one, other) => compare(other.proof, one.proof));
  if (!best) throw new Doubt(doubts[0] ?? 'the known anime are in no list of cards');
  if (others.some((other) => disagree(model, best, other)))
    throw new Doubt('two lists of the page say different things');
  return best;
}

/** Finds the fields in these cards, and what is around them. */
function findIn<Parsed>(
  search: Search,
  model: PageModel<Parsed>,
  cards: Cards,
  slugs: ReadonlyMap<object, unknown>,
  asked: number,
): FoundSelectors<Parsed> {
  const known = cards.elements.map((element): KnownCard => {
    const slug = String(slugs.get(element) ?? '');
    return { element, before: search.known.get(slug), now: { slug } };
  });
  const fields: Record<string, string> = {};
  for (const field of [model.link, ...model.fields]) {
    const location = findField(search, field, model.selectors[field.name] ?? '', known);
    refuseExchanged(search, model, field.name, location, known);
    fields[field.name] = location;
  }
  const selectors = {
    ...model.selectors,
    ...{ [model.frame]: cards.frame, [model.card]: cards.card },
    ...fields,
    ...(model.groups && findGroups(search, model, model.groups, cards, known)),
    ...(model.pager && findPager(search, model, model.pager, cards, asked)),
  };
  const parsed = model.read(search.page, search.pageUrl, selectors);
  const proof = provePage(model, parsed, search.known);
  if (!isProven(proof)) throw new Doubt('the page that they yield does not agree with the last good list');
  return { selectors, parsed, proof };
}

/** Refuses a field that stands where the site had another one: its contents have changed then, not its markup. */
function refuseExchanged(
  search: Search,
  { fields, selectors }: PageModel<unknown>,
  name: string,
  location: string,
  cards: readonly KnownCard[],
): void {
  if (location === selectors[name] || location.includes('@')) return;
  const elements = elementsAt(search, location, cards);
  for (const other of fields) {
    const original = selectors[other.name] ?? '';
    if (other.name === name || original === selectors[name]) continue;
    const owned = elementsAt(search, original, cards);
    const shared = [...elements].filter(([card, element]) => owned.get(card) === element).length;
    if (shared * 2 > cards.length)
      throw new Doubt(`${name} stands in ${original}, where the site has the ${other.name}`);
  }
}

function compare(one: Proof, other: Proof): number {
  return one.readable - other.readable || other.unreadable - one.unreadable;
}

/** Whether two lists that are equally good have different records of an anime. */
function disagree<Parsed>(
  { count }: PageModel<Parsed>,
  best: FoundSelectors<Parsed>,
  other: FoundSelectors<Parsed>,
): boolean {
  const records = new Map(count(best.parsed).records.map((record) => [record.slug, JSON.stringify(record)]));
  return count(other.parsed).records.some((record) => {
    const known = records.get(record.slug);
    return known !== undefined && known !== JSON.stringify(record);
  });
}
