import { type CheerioAPI, load } from 'cheerio';
import { afterAll, expect, test } from 'vitest';
import { MONTHS } from '../../src/domain/listing.ts';
import { parseAnime } from '../../src/source/sites/otakudesu/anime-page.ts';
import type { AnimePage } from '../../src/source/source.ts';
import { validatePage } from '../../src/source/validate-page.ts';
import { fetchedPage } from '../source/support/fetched-page.ts';
import { createRandom } from '../support/create-random.ts';
import { readFixture } from '../support/fixtures.ts';
import { MORE } from '../support/more-runs.ts';
import { isReason } from './judge.ts';
import { mutationsOf } from './mutate.ts';
import { ALL, createRequestCounter } from './sample.ts';

/** The page of an anime, broken once or twice: every value that is read is one that the page says, or it is refused. */

const FIXTURES = ['anime', 'anime--completed', 'anime--rows-odd', 'anime--values-spelt-otherwise'];
const PAGES = 100;

test.each(FIXTURES)('%s, broken, yields no value that it does not say', { timeout: 3_600_000 }, (name) => {
  const { html } = readFixture('otakudesu', { name, page: '', why: '' });
  const tally = createRequestCounter(`page of an anime, ${name}`);
  if (ALL) afterAll(() => console.log(`${tally}`));
  const mutations = mutationsOf(html);
  const random = createRandom(name.length);
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)];
  const defects: string[] = [];
  for (let count = 0; count < PAGES * MORE; count += 1) {
    const first = pick(mutations)!;
    const once = first.apply();
    const second =
      count % 2 === 0 ? undefined : pick(mutationsOf(once).filter(({ kind }) => kind !== first.kind));
    const { outcome, faults } = judge(second?.apply() ?? once);
    tally.add(outcome);
    defects.push(...faults.map((fault) => `${first.name}, ${second?.name ?? 'alone'}: ${fault}`));
  }
  expect(defects).toEqual([]);
});

function judge(html: string): { outcome: string; faults: string[] } {
  try {
    const page = validatePage(fetchedPage(html), () => parseAnime(html));
    return { outcome: 'read', faults: listFaults(page, load(html)) };
  } catch (error) {
    return { outcome: 'refused', faults: isReason(error) ? [] : [`refused without a reason: ${error}`] };
  }
}

/** What was read and is not said: under its label, in a row, or in the head. */
function listFaults({ titles, publishedAt, episodes, details }: AnimePage, $: CheerioAPI): string[] {
  const text = flat($.root().text());
  const under = (...labels: string[]) =>
    $('*')
      .toArray()
      .flatMap((element) => {
        const own = flat($(element).text());
        const label = labels.find((one) => own.toLowerCase().startsWith(`${one.toLowerCase()}`));
        const rest = label === undefined ? '' : own.slice(label.length).trimStart();
        return rest.startsWith(':') ? [rest.slice(1).trim()] : [];
      });
  const says = (value: unknown, labels: string[], isIt: (said: string) => boolean, what: string) =>
    value === null || under(...labels).some(isIt) ? [] : [`${what} ${JSON.stringify(value)}`];
  const has = (values: string[], labels: string[], what: string) =>
    values.flatMap((value) => says(value, labels, (said) => said.includes(value), what));
  const numbersIn = (said: string) =>
    said
      .replace(',', '.')
      .match(/\d+(?:\.\d+)?/gu)
      ?.map(Number) ?? [];
  const { japanese, score, type, status, totalEpisodes, minutes, startedOn } = details;
  const rows = $('li')
    .toArray()
    .map((row) => flat($(row).text()));
  const heads = $('meta[property="article:published_time"]')
    .toArray()
    .map((meta) => Date.parse($(meta).attr('content') ?? ''));
  return [
    ...titles.filter((title) => !text.includes(title)).map((title) => `the title ${title}`),
    ...says(japanese, ['Japanese'], (said) => said === japanese, 'japanese'),
    ...says(score, ['Skor'], (said) => numbersIn(said)[0] === score, 'score'),
    ...says(type, ['Tipe'], (said) => said === type, 'type'),
    ...says(status, ['Status'], (said) => (status === 'ongoing') === /^ongoing/iu.test(said), 'status'),
    ...says(totalEpisodes, ['Total Episode'], (said) => numbersIn(said)[0] === totalEpisodes, 'total'),
    ...says(minutes, ['Durasi'], (said) => [numbersIn(said)[0], 90].includes(minutes!), 'minutes'),
    ...says(startedOn, ['Tanggal Rilis'], (said) => isDateIn(startedOn!, said), 'start'),
    ...has(details.studios, ['Studio'], 'studio'),
    ...has(details.producers, ['Produser'], 'producer'),
    ...has(details.genres, ['Genre'], 'genre'),
    ...(details.synopsis?.split('\n\n') ?? []).filter((part) => !text.includes(part)),
    ...episodes
      .filter(({ episode, date }) => !rows.some((row) => hasEpisode(row, episode) && isDateIn(date, row)))
      .map((row) => `the row ${JSON.stringify(row)}`),
    ...(publishedAt === null || heads.includes(publishedAt) ? [] : ['the time of the head']),
  ];
}

const flat = (text: string) => text.replace(/\s+/gu, ' ').trim();

function hasEpisode(row: string, episode: number): boolean {
  return new RegExp(`(?:Episode|Eps?)[\\s.:]*0*${episode}(?!\\d|[.,]\\d)`, 'iu').test(row);
}

function isDateIn(date: string, text: string): boolean {
  const [year = '', month, day] = date.split('-');
  const name = MONTHS[Number(month) - 1]?.slice(0, 2) ?? '?';
  return (
    text.includes(year) &&
    new RegExp(`(?<!\\d)0?${Number(day)}(?!\\d)`, 'u').test(text) &&
    text.toLowerCase().includes(name.toLowerCase())
  );
}
