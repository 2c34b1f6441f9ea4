import { AppError } from '../../domain/errors.ts';
import { excerpt } from '../../domain/text.ts';
import { type CrawlMemory, type RepairResult, refusePage, type SelectorRepair } from '../source.ts';
import { type Agreement, describeDisagreement, isSuspect, type Trial, trySelectors } from './agreement.ts';
import { findSelectors } from './find-selectors.ts';
import type { KnownAnime, PageModel, Selectors } from './page-model.ts';
import { createSearch, RepairError, type SearchedPage } from './search.ts';

const MAX_FAILURE_LENGTH = 300;

/** Reads all pages of one kind in one crawl. */
export interface RepairingReader<Parsed> {
  /** `isWritten`: whether the written selectors explain the page. Throws AppError like the parser. */
  read(html: string, pageUrl: string): { parsed: Parsed; isWritten: boolean };
  /** Whether no page could be read, and the last one has too few known anime for a repair. */
  isUndecided(): boolean;
  result(): RepairResult;
}

/**
 * Reads each page by the selectors that explain it: the written ones; else the repairs of this crawl or of the last good
 * one; else new repairs. So a site that shows two themes in turn is read by both. Without a memory it repairs nothing.
 */
export function createRepairingReader<Parsed>(
  model: PageModel<Parsed>,
  memory: CrawlMemory | undefined,
): RepairingReader<Parsed> {
  const known: ReadonlyMap<string, KnownAnime> = memory ? model.knownFrom(memory.lastGood) : new Map();
  const { repairs: earlier, mayRepair } = memory ?? { repairs: [], mayRepair: false };
  const stored = restoreSelectors(model, earlier);
  /** The repairs that read pages of this crawl, and how far each page agreed, by its address. */
  const used = new Map<Selectors, Map<string, Agreement>>();
  let failure: string | undefined;
  let isUndecided = false;

  function read(html: string, pageUrl: string) {
    const page = { page: model.open(html), pageUrl, known };
    const { value: written, error } = attempt(() => trySelectors(model.selectors, model, page));
    const isWritten = written !== undefined && !isSuspect(model, written.agreement);
    const repaired = isWritten || known.size === 0 ? undefined : repair(page, error);
    const trial = repaired ?? written;
    if (isWritten || repaired) isUndecided = false;
    if (!trial) throw error;
    return { parsed: trial.parsed, isWritten };
  }

  /** Returns undefined when the page is not the site's, or can be read by the written selectors all the same. */
  function repair(page: SearchedPage, error: unknown): Trial<Parsed> | undefined {
    const earlier = stored ? [...used.keys(), stored] : [...used.keys()];
    for (const selectors of earlier) {
      const trial = attempt(() => trySelectors(selectors, model, page)).value;
      // A short page may have new anime alone: then another page of this crawl has proved the selectors.
      const isProved = used.has(selectors) || (trial && trial.agreement.known > 0);
      if (trial && isProved && !describeDisagreement(trial.agreement)) return use(trial, page);
    }
    try {
      const found = findSelectors(createSearch(page), model, mayRepair);
      isUndecided = found === 'unknown' && mayRepair;
      return typeof found === 'string' ? undefined : use(found, page);
    } catch (reason) {
      if (!(reason instanceof RepairError)) throw reason;
      failure ??= excerpt(reason.message, MAX_FAILURE_LENGTH);
      if (!error) return undefined;
      const problem =
        error instanceof AppError && error.code === 'source-changed'
          ? error.message
          : 'no selector of the site matches';
      return refusePage(
        `${problem}; the page links to known anime, but its selectors cannot be repaired: ${failure}`,
      );
    }
  }

  function use(trial: Trial<Parsed>, { pageUrl }: SearchedPage): Trial<Parsed> {
    const { selectors, agreement } = trial;
    used.set(selectors, (used.get(selectors) ?? new Map()).set(pageUrl, agreement));
    return trial;
  }

  return {
    read,
    isUndecided: () => isUndecided,
    result: () => ({
      repairs: [...used].flatMap(([selectors, agreements]) =>
        listRepairs(model, selectors, [...agreements.values()]),
      ),
      failure,
    }),
  };
}

/** Returns the selectors with the repairs of an earlier crawl; undefined without any for the selectors as written now. */
function restoreSelectors(
  { selectors, prefix }: PageModel<unknown>,
  repairs: CrawlMemory['repairs'],
): Selectors | undefined {
  const own = Object.entries(selectors).flatMap(([name, was]) => {
    const repair = repairs.find((one) => one.field === prefix + name && one.was === was);
    return repair ? [[name, repair.now] as const] : [];
  });
  return own.length > 0 ? { ...selectors, ...Object.fromEntries(own) } : undefined;
}

function listRepairs(
  { selectors, prefix }: PageModel<unknown>,
  chosen: Selectors,
  agreements: readonly Agreement[],
): SelectorRepair[] {
  const known = agreements.reduce((sum, agreement) => sum + agreement.known, 0);
  return Object.entries(selectors).flatMap(([name, was]) => {
    const now = chosen[name] ?? was;
    if (now === was) return [];
    const agreeing = agreements.reduce(
      (sum, agreement) => sum + (agreement.agreeing[name] ?? agreement.known),
      0,
    );
    return [{ field: prefix + name, was, now, agreement: agreeing / known }];
  });
}

function attempt<Value>(read: () => Value): { value?: Value; error?: unknown } {
  try {
    return { value: read() };
  } catch (error) {
    return { error };
  }
}
