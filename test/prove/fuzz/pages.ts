import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../../../src/domain/errors.ts';
import { isReadable } from '../../../src/source/source.ts';
import { validatePage } from '../../../src/source/validate-page.ts';
import { hasAnime, hasEntry, type Piece, PlainPage } from '../../mutations/plain-page.ts';
import { fetchedPage } from '../../source/support/fetched-page.ts';
import { startCpuTimer } from '../../support/cpu-time.ts';
import { listFixtures, readFixture } from '../../support/fixtures.ts';
import { parseOngoing, parseSchedule } from '../../support/parse-pages.ts';
import type { Target, Verdict } from './fuzz.ts';
import { apply, type Mutated, mutationsOf, originalsOf } from './mutations.ts';
import TOKENS from './tokens.json' with { type: 'json' };

/* An input is a page; one that has the frame of a schedule is read as a schedule. */

const FOLDER = path.resolve(import.meta.dirname, '../../../fixtures/fuzz/pages');
/** Pages without misspelt values: a reader that knows no spellings judges them. */
const NAMES = ['ongoing', 'ongoing--middle-page', 'ongoing--last-page', 'schedule'];
/** So many cards are enough, and are read faster than a whole page. */
const KEPT_CARDS = 4;
/** Of CPU time: far more than a page takes. */
const MAX_MS = 5_000;

const PAGE_URL = 'https://otakudesu.example/ongoing-anime/';

/** Reads a page as the service does, and looks for every record in the text of the page. */
function judgePage(input: Buffer): Verdict {
  const html = input.toString();
  const cpuMs = startCpuTimer();
  try {
    const records = html.includes('kgjdwl321') ? readEntries(html) : readAnime(html);
    const invented = records.find(({ isFound }) => !isFound);
    const isSlow = cpuMs() > MAX_MS;
    const fault = isSlow ? 'the page took too long' : invented && `the page does not say ${invented.record}`;
    return { outcome: 'accepted', fault };
  } catch (error) {
    const isRefusal = error instanceof AppError && error.code.startsWith('source-');
    const isDefect = !isRefusal || error.cause !== undefined;
    return {
      outcome: 'refused',
      fault: isDefect ? `the page is not refused properly: ${error}` : undefined,
    };
  }
}

function fetched(html: string) {
  return fetchedPage(html, { isUtf8: !html.includes('\ufffd') });
}

function isSaidBy(page: PlainPage, isIt: (piece: Piece) => boolean): boolean {
  return page.says(isIt) || page.maySay(isIt);
}

function readAnime(html: string) {
  const { cards } = validatePage(fetched(html), () => parseOngoing(html, PAGE_URL));
  const page = new PlainPage(html);
  return cards.filter(isReadable).map((anime) => ({
    record: JSON.stringify(anime),
    isFound: isSaidBy(page, (piece) => hasAnime(piece, anime)),
  }));
}

function readEntries(html: string) {
  const { groups } = validatePage(fetched(html), () => parseSchedule(html, PAGE_URL));
  const page = new PlainPage(html);
  return groups.flatMap(({ day, cards }) =>
    cards.filter(isReadable).map((entry) => ({
      record: JSON.stringify({ day, ...entry }),
      isFound: isSaidBy(page, (piece) => hasEntry(piece, day ?? '', entry)),
    })),
  );
}

/** Removes all but the first items of each list. */
function shorten(html: string): string {
  return html.replace(/<ul>(.*?)<\/ul>/gsu, (_, items: string) => {
    const kept = items.split('</li>').slice(0, KEPT_CARDS).join('</li>');
    return `<ul>${kept}</li></ul>`;
  });
}

const fixtures = listFixtures('otakudesu').filter(({ name }) => NAMES.includes(name));

const CORPUS = {
  seeds: [
    ...fixtures.map((fixture) => Buffer.from(shorten(readFixture('otakudesu', fixture).html))),
    ...readdirSync(FOLDER).map((name) => readFileSync(path.join(FOLDER, name))),
  ],
  // No elements in which browsers read markup by other rules, such as `select`.
  tokens: TOKENS.pages,
};

export const pages: Target<Mutated> = {
  cases: mutationsOf(CORPUS),
  examples: originalsOf(CORPUS),
  judge: (input) => judgePage(apply(input, CORPUS)),
};
