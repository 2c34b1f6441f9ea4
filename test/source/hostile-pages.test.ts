import { describe, expect, test } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { validatePage } from '../../src/source/validate-page.ts';
import { costOf } from '../support/cost.ts';
import { parseOngoing, parseSchedule } from '../support/parse-pages.ts';
import HOSTILE_PAGES from './hostile-pages.json' with { type: 'json' };
import { fetchedPage } from './support/fetched-page.ts';
import { refusal } from './support/refusal.ts';

/** What takes too long for five megabytes, the largest page that is fetched, takes too long for one. */
const MAX_BYTES = 1024 * 1024;
/** The most costly of these pages costs nine. */
const MAX_COST = 25;
const PAGE_URL = 'https://otakudesu.example/ongoing-anime/';

const START = '<!DOCTYPE html><html><head><title>Anime</title></head><body>';
const END = '</body></html>';

const list = (content: string) => `${START}<div class="venz"><ul>${content}</ul></div>${END}`;
const week = (content: string) => `${START}<div class="kgjdwl321">${content}</div>${END}`;
const group = (content: string) => `<div class="kglist321"><h2>Senin</h2><ul>${content}</ul></div>`;

/** A text, or some that are repeated so many times: without `times`, up to MAX_BYTES. */
type Piece = string | { repeat: string | Piece[]; times?: number };

/** Pages of a megabyte, and the most of what a page within the limits on tags, depth, cards and groups can have. */
interface HostilePage {
  name: string;
  /** What is in its list, in its schedule, or in a page that has neither, and what is after its end. */
  list?: Piece[];
  week?: Piece[];
  body?: Piece[];
  after?: Piece[];
}

function write(pieces: Piece[], index = 0): string {
  return pieces.map((piece) => writeOne(piece, index)).join('');
}

/** `{index}` in a repeated text is the number of the repetition. */
function writeOne(piece: Piece, index: number): string {
  if (typeof piece === 'string') return piece.replaceAll('{index}', `${index}`);
  const inner = [piece.repeat].flat();
  const times = piece.times ?? Math.floor(MAX_BYTES / Buffer.byteLength(write(inner, 99_999)));
  if (!JSON.stringify(inner).includes('{index}')) return write(inner).repeat(times);
  return Array.from({ length: times }, (_, at) => write(inner, at)).join('');
}

describe('a page is parsed or refused in a time that grows with its length', () => {
  test.each(HOSTILE_PAGES as HostilePage[])('$name', (page) => {
    const { body, after = [] } = page;
    const main = page.week ? week(write(page.week)) : list(write(page.list ?? []));
    const html = (body ? `${START}${write(body)}${END}` : main) + write(after);
    const parse = page.week ? parseSchedule : parseOngoing;
    const cost = costOf(() => {
      try {
        validatePage(fetchedPage(html), () => parse(html, PAGE_URL) as unknown);
      } catch (error) {
        expect(error).toBeInstanceOf(AppError);
      }
    });
    expect(cost).toBeLessThan(MAX_COST);
  });
});

describe('a page that exceeds a limit is refused with the reason', () => {
  test.each([
    ['tags', () => list('<i></i>'.repeat(20_000)), parseOngoing, /more than 20000 tags/u],
    ['cards', () => list('<li></li>'.repeat(1_001)), parseOngoing, /more than 1000 cards/u],
    ['entries', () => week(group('<li></li>'.repeat(1_001))), parseSchedule, /more than 1000 cards/u],
    ['groups', () => week(group('').repeat(101)), parseSchedule, /more than 100 groups/u],
  ] as const)('by its %s', (_what, make, parse, reason) => {
    expect(() => parse(make(), PAGE_URL)).toThrow(refusal('source-changed', reason));
  });

  test('but a page of another site is refused as one', () => {
    const html = `${START}${'<i></i>'.repeat(20_000)}${END}`;
    expect(() => parseOngoing(html, PAGE_URL)).toThrow(refusal('source-moved', /not the site's/u));
  });
});

test('a field that is too long is a fault of its card, whatever it begins with', () => {
  const long = (start: string) => `${start}${' '.repeat(2_000)}x`;
  const html = list(
    `<li><a href=/anime/judul/></a><div class=epz>${long('Episode 1')}</div><div class=epztipe>${long('Senin')}</div><h2 class=jdlflm>${long('Judul')}</h2></li>`,
  );
  const [unreadable] = parseOngoing(html, PAGE_URL).cards;
  const faults = unreadable && 'faults' in unreadable ? unreadable.faults : [];
  expect(faults.map(({ field }) => field)).toEqual(expect.arrayContaining(['title', 'episode', 'day']));
});
