import { AppError } from '../../domain/errors.ts';
import { describeDisagreement, type Trial, trySelectors } from './agreement.ts';
import { type Cards, type Familiarity, findAnime, findCards, judgeFamiliarity } from './find-cards.ts';
import { findField } from './find-field.ts';
import type { PageModel } from './page-model.ts';
import { RepairError, type Search } from './search.ts';

/**
 * Reads a page by new selectors, which it finds from the known anime on it. Throws RepairError when there are none, or
 * when two lists of the page have different records. Does not search a page that links to too few known anime.
 */
export function findSelectors<Parsed>(
  search: Search,
  model: PageModel<Parsed>,
  mayRepair: boolean,
): Trial<Parsed> | Exclude<Familiarity, 'known'> {
  const animeIn = findAnime(search);
  const familiarity = judgeFamiliarity(search, animeIn);
  if (familiarity !== 'known') return familiarity;
  if (!mayRepair) throw new RepairError('only a whole crawl repairs selectors');
  const failures: string[] = [];
  const found = findCards(search, model, animeIn).flatMap((list) => {
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
  const [best, ...others] = found.sort(
    ({ agreement: one }, { agreement: other }) =>
      other.readable - one.readable || one.unreadable - other.unreadable,
  );
  if (!best) throw new RepairError(failures[0] ?? 'the known anime are in no list of cards');
  if (others.some((other) => disagree(model, best, other)))
    throw new RepairError('two lists of the page have different records');
  return best;
}

/** Finds the selectors of the fields in these cards, and reads the page by them. */
function findIn<Parsed>(
  search: Search,
  model: PageModel<Parsed>,
  { list, card, cards }: Cards,
): Trial<Parsed> {
  const fields = model.fields.map((field) => [field.name, findField(search, model, field, cards)] as const);
  const trial = trySelectors({ list, card, ...Object.fromEntries(fields) }, model, search);
  const disagreement = describeDisagreement(trial.agreement);
  if (disagreement !== undefined) throw new RepairError(disagreement);
  return trial;
}

/** Whether two lists that are equally good have different records of an anime. */
function disagree<Parsed>({ count }: PageModel<Parsed>, best: Trial<Parsed>, other: Trial<Parsed>): boolean {
  const records = new Map(count(best.parsed).records.map((record) => [record.slug, JSON.stringify(record)]));
  return count(other.parsed).records.some((record) => {
    const known = records.get(record.slug);
    return known !== undefined && known !== JSON.stringify(record);
  });
}
