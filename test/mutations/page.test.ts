import { afterAll, describe, expect, test } from 'vitest';
import { parseOngoing } from '../../src/source/sites/otakudesu/ongoing-page.ts';
import { parseSchedule } from '../../src/source/sites/otakudesu/schedule-page.ts';
import {
  isReadable,
  isUnreadable,
  type LinkingPage,
  type OngoingPage,
  type SchedulePage,
} from '../../src/source/source.ts';
import { validatePage } from '../../src/source/validate-page.ts';
import { fetchedPage } from '../source/support/fetched-page.ts';
import { listFixtures, readFixture } from '../support/fixtures.ts';
import { mutationsOf } from './mutators/mutate.ts';
import { readAsAPerson, type Said } from './oracle.ts';
import { isReason, isSaid } from './proof.ts';
import { ALL, createRequestCounter, sampleOf } from './sample.ts';

/**
 * The parser over one broken page: each record equals what the page says, each anime that the page shows is a
 * record or one of the cards said to be unreadable, or the page is refused with a reason.
 */

const PAGE_URL = 'https://otakudesu.example/ongoing-anime/';
const NAMES = ['ongoing', 'ongoing--middle-page', 'ongoing--last-page', 'schedule'];
const FIXTURES = listFixtures('otakudesu').filter(({ name }) => NAMES.includes(name));

describe.each(FIXTURES)('the $page page, $why, broken', (fixture) => {
  const { html } = readFixture('otakudesu', fixture);
  const tally = createRequestCounter(`parser, ${fixture.name}`);
  const judge = fixture.page === 'schedule' ? judgeSchedule : judgeOngoing;
  if (ALL) afterAll(() => console.log(`${tally}`));

  test('yields the records that are on it, reports what it lacks, or is refused', {
    timeout: 300_000,
  }, () => {
    const defects = sampleOf(mutationsOf(html), 40).flatMap(({ kind, name, apply }) => {
      const { outcome, faults } = judge(apply());
      tally.add(outcome);
      return faults.map((fault) => `${kind}: ${name}: ${fault}`);
    });
    expect(defects).toEqual([]);
  });
});

interface Verdict {
  outcome: string;
  faults: string[];
}

function judgeOngoing(html: string): Verdict {
  return judgeWith(html, parseOngoing, (page: OngoingPage, said) => {
    const records = page.cards.filter(isReadable);
    const faults = records
      .filter((record) => !said.anime.some((card) => isSaid(record, card)))
      .map((record) => `the page does not say ${JSON.stringify(record)}`);
    const unreadable = page.cards.filter(isUnreadable).length;
    if (page.lastNumber < said.lastPageLinked)
      faults.push(`page ${said.lastPageLinked} is linked, and unknown`);
    const marked = [...new Set(said.currentPages)];
    if (marked.length === 1 && Number(marked[0]) !== page.number) faults.push(`this is page ${marked[0]}`);
    return { faults: [...faults, ...silentOf(said, records, unreadable, page)], unreadable };
  });
}

function judgeSchedule(html: string): Verdict {
  return judgeWith(html, parseSchedule, ({ groups, linked }: SchedulePage, said) => {
    const records = groups.flatMap(({ day, cards }) =>
      cards.filter(isReadable).map((card) => ({ ...card, day })),
    );
    const faults = records
      .filter(({ slug, title, day }) => {
        const isIt = (entry: Said['entries'][number]) =>
          entry.slug === slug && entry.title === title && entry.day === day;
        return !said.entries.some(isIt);
      })
      .map((record) => `the page does not say ${JSON.stringify(record)}`);
    const unreadable = groups.flatMap(({ cards }) => cards.filter(isUnreadable)).length;
    return { faults: [...faults, ...silentOf(said, records, unreadable, { linked })], unreadable };
  });
}

function judgeWith<Page>(
  html: string,
  parse: (html: string, pageUrl: string) => Page,
  compare: (page: Page, said: Said) => { faults: string[]; unreadable: number },
): Verdict {
  try {
    const page = validatePage(fetchedPage(html), () => parse(html, PAGE_URL));
    const { faults, unreadable } = compare(page, readAsAPerson(html, PAGE_URL));
    return { outcome: unreadable > 0 ? 'omission reported' : 'equal', faults };
  } catch (error) {
    return { outcome: 'refused', faults: isReason(error) ? [] : [`refused without a reason: ${error}`] };
  }
}

/**
 * The anime that the page shows and that are neither records, nor reported, nor named as linked. A card may have run
 * into another one.
 */
function silentOf(
  said: Said,
  records: { slug: string }[],
  unreadable: number,
  { linked }: LinkingPage,
): string[] {
  const read = new Set([...records.map(({ slug }) => slug), ...linked]);
  const rest = [...new Set(said.slugs)].filter((slug) => !read.has(slug));
  const merged = said.slugsOfItems.reduce((sum, slugs) => sum + Math.max(0, new Set(slugs).size - 1), 0);
  return rest.length > unreadable + (unreadable > 0 ? merged : 0)
    ? [`shown, and silently left out: ${rest}`]
    : [];
}
