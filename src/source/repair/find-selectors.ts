import { AppError } from '../../domain/errors.ts';
import { type Agreement, describeDisagreement, type Reading, readBy } from './agreement.ts';
import {
  type Cards,
  type Familiarity,
  findCards,
  findLinks,
  judgeFamiliarity,
  type KnownCard,
} from './find-cards.ts';
import { elementsAt, findField } from './find-field.ts';
import { findHeading } from './find-heading.ts';
import type { PageModel, Selectors } from './page-model.ts';
import { RepairError, type Search } from './search.ts';

type FoundSelectors<Parsed> = Reading<Parsed> & { selectors: Selectors };

/**
 * Finds new selectors for a page from the known anime on it. Throws RepairError when there are none, or when two lists of
 * the page have different records. Does not search a page that links to too few known anime.
 */
export function findSelectors<Parsed>(
  search: Search,
  model: PageModel<Parsed>,
  mayRepair: boolean,
): FoundSelectors<Parsed> | Exclude<Familiarity, 'known'> {
  const links = findLinks(search);
  const familiarity = judgeFamiliarity(search, links);
  if (familiarity !== 'known') return familiarity;
  if (!mayRepair) throw new RepairError('only a whole crawl repairs selectors');
  const failures: string[] = [];
  const found = findCards(search, model, links).flatMap((list) => {
    for (const cards of list) {
      try {
        return [findIn(search, model, cards)];
      } catch (error) {
        if (!(error instanceof RepairError || error instanceof AppError)) throw error;
        failures.push(error.message);
      }
    }
    return [];
  });
  const [best, ...others] = found.sort((one, other) => compare(other.agreement, one.agreement));
  if (!best) throw new RepairError(failures[0] ?? 'the known anime are in no list of cards');
  if (others.some((other) => disagree(model, best, other)))
    throw new RepairError('two lists of the page have different records');
  return best;
}

/** Finds the selectors of the fields in these cards and of their groups. */
function findIn<Parsed>(search: Search, model: PageModel<Parsed>, cards: Cards): FoundSelectors<Parsed> {
  const fields: Record<string, string> = {};
  for (const field of model.fields) {
    const location = findField(search, field, model.selectors[field.name] ?? '', cards.cards);
    refuseSwapped(search, model, field.name, location, cards.cards);
    fields[field.name] = location;
  }
  const selectors = {
    ...model.selectors,
    [model.frame]: cards.frame,
    [model.card]: cards.card,
    ...fields,
    ...(model.heading && {
      heading: findHeading(search, model.selectors.heading ?? '', model.heading, cards),
    }),
  };
  const reading = readBy(selectors, model, search);
  const disagreement = describeDisagreement(reading.agreement);
  if (disagreement !== undefined) throw new RepairError(disagreement);
  return { selectors, ...reading };
}

/** Refuses a field found in the place of another field: then the contents have changed, not the markup. */
function refuseSwapped(
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
    if (original === selectors[name]) continue;
    const owned = elementsAt(search, original, cards);
    const shared = [...elements].filter(([card, element]) => owned.get(card) === element).length;
    if (shared * 2 > cards.length)
      throw new RepairError(`${name} was found in ${original}, which is the place of the ${other.name}`);
  }
}

function compare(one: Agreement, other: Agreement): number {
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
