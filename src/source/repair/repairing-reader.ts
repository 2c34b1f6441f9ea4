import { AppError } from '../../domain/errors.ts';
import { excerpt } from '../../domain/text.ts';
import type { Page } from '../markup/page.ts';
import { type CrawlMemory, type RepairResult, refuse, type SelectorRepair } from '../source.ts';
import { type Agreement, isSufficient, isSuspect, measureAgreement } from './agreement.ts';
import { findSelectors } from './find-selectors.ts';
import type { KnownAnime, PageModel, Selectors } from './page-model.ts';
import { createSearch, RepairError } from './search.ts';

const MAX_FAILURE_LENGTH = 300;

/** Reads all pages of one kind in one crawl, by one set of selectors. */
export interface RepairingReader<Parsed> {
  /** `pageNumber`: the requested one. Throws AppError like the parser. */
  read(html: string, pageUrl: string, pageNumber: number): Parsed;
  /** Which selectors read the pages of this crawl; undefined while no page has decided it. */
  chosen(): 'written' | 'repaired' | undefined;
  /** Whether no page has decided, and the last one has too few known anime for a repair. */
  isUndecided(): boolean;
  /** Notes that a page is unchanged since an earlier crawl read it by the written selectors. */
  keepWritten(): void;
  result(): RepairResult;
}

interface Reading<Parsed> {
  parsed: Parsed;
  agreement: Agreement;
}

/**
 * Reads by the written selectors while they match; else by the repairs of the last good crawl, or by new ones. Without a
 * memory it repairs nothing. The first page decides for the following ones, which must agree with the last good listing
 * as well.
 */
export function createRepairingReader<Parsed>(
  model: PageModel<Parsed>,
  memory: CrawlMemory | undefined,
): RepairingReader<Parsed> {
  const known: ReadonlyMap<string, KnownAnime> = memory ? model.knownFrom(memory.lastGood) : new Map();
  const { repairs: earlier, mayRepair } = memory ?? { repairs: [], mayRepair: false };
  let chosen: Selectors | undefined;
  let failure: string | undefined;
  let isUnknown = false;
  const agreements = new Map<string, Agreement>();

  function read(html: string, pageUrl: string, pageNumber: number): Parsed {
    const page = model.open(html);
    if (chosen && chosen !== model.selectors) return readChosen(page, pageUrl, chosen);
    const original = attempt(() => readBy(page, pageUrl, model.selectors));
    if (!isSuspect(original.value?.agreement)) chosen ??= model.selectors;
    else if (!chosen && failure === undefined && known.size > 0) {
      const repaired = repair(page, pageUrl, pageNumber, original.error);
      if (repaired) return repaired.parsed;
    }
    if (original.value) return original.value.parsed;
    throw original.error;
  }

  function readBy(page: Page, pageUrl: string, selectors: Selectors): Reading<Parsed> {
    const parsed = model.read(page, pageUrl, selectors);
    return { parsed, agreement: measureAgreement(model, parsed, known) };
  }

  function readChosen(page: Page, pageUrl: string, selectors: Selectors): Parsed {
    const reading = readBy(page, pageUrl, selectors);
    if (!isSufficient(reading.agreement))
      refuse('the selectors that were repaired on an earlier page do not match this one');
    agreements.set(pageUrl, reading.agreement);
    return reading.parsed;
  }

  /** Returns undefined when the page is not the site's, or can be read by the written selectors all the same. */
  function repair(
    page: Page,
    pageUrl: string,
    pageNumber: number,
    error: unknown,
  ): Reading<Parsed> | undefined {
    const stored = restoreSelectors(model, earlier);
    const last = stored && attempt(() => readBy(page, pageUrl, stored)).value;
    if (stored && last && last.agreement.known > 0 && isSufficient(last.agreement))
      return choose(stored, pageUrl, last);
    try {
      const found = findSelectors(createSearch({ page, pageUrl, pageNumber, known }), model, mayRepair);
      isUnknown = found === 'unknown';
      return typeof found === 'string' ? undefined : choose(found.selectors, pageUrl, found);
    } catch (reason) {
      if (!(reason instanceof RepairError)) throw reason;
      failure = excerpt(reason.message, MAX_FAILURE_LENGTH);
      if (!error) return undefined;
      const problem =
        error instanceof AppError && error.code === 'source-changed'
          ? error.message
          : 'no selector of the site matches';
      return refuse(
        `${problem}; the page links to known anime, but its selectors cannot be repaired: ${failure}`,
      );
    }
  }

  function choose(selectors: Selectors, pageUrl: string, reading: Reading<Parsed>): Reading<Parsed> {
    chosen = selectors;
    agreements.set(pageUrl, reading.agreement);
    return reading;
  }

  return {
    read,
    chosen: () => chosen && (chosen === model.selectors ? 'written' : 'repaired'),
    isUndecided: () => isUnknown && !chosen && mayRepair,
    keepWritten() {
      chosen ??= model.selectors;
    },
    result: () => ({ repairs: chosen ? listRepairs(model, chosen, [...agreements.values()]) : [], failure }),
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
