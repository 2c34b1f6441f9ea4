import type { PrintedDetails, PrintedLink } from '../../../domain/details.ts';
import { cleanText, excerpt } from '../../../domain/text.ts';
import { type Element, groupByContainer, textOf } from '../../markup/elements.ts';
import type { Page } from '../../markup/page.ts';
import type { Facts } from './anime-facts.ts';
import { ANIME_SELECTORS } from './selectors.ts';

/** What the page of an anime prints, as it is there, for programs that were written for the source itself. */

const MAX_TEXT_LENGTH = 300;
/** The newest rows come first. */
const MAX_EPISODES = 500;
const MAX_GENRES = 20;
const BATCH = /\bbatch\b/iu;
/** The last segment of a path, as it is written. */
const LAST_SEGMENT = /\/([\w%-]{1,200})\/?$/u;

interface Parts {
  facts: Facts;
  /** The links of the genres. */
  genres: readonly Element[];
  /** The rows of the list of episodes. */
  rows: readonly Element[];
}

export function printDetails(page: Page, { facts, genres, rows }: Parts): PrintedDetails {
  const text = (name: keyof Facts) => excerpt(facts[name] ?? '', MAX_TEXT_LENGTH);
  const links = groupByContainer(page.find('a'), [...rows]);
  return {
    title: text('title'),
    japanese: text('japanese'),
    score: text('score'),
    producers: text('producers'),
    type: text('type'),
    status: text('status'),
    episodes: text('totalEpisodes'),
    duration: text('minutes'),
    aired: text('startedOn'),
    studios: text('studios'),
    genres: genres.flatMap(readLink).slice(0, MAX_GENRES),
    episodeList: rows
      .flatMap((row) => links.get(row) ?? [])
      .flatMap(readLink)
      .slice(0, MAX_EPISODES),
    batch: readBatch(page),
  };
}

/** The link to all episodes in one, which a completed anime has. The heading of another block has the word in brackets. */
function readBatch(page: Page): PrintedLink | null {
  const blocks = page.find(ANIME_SELECTORS.block);
  const headings = groupByContainer(page.find(ANIME_SELECTORS.heading), blocks);
  const links = groupByContainer(page.find('a'), blocks);
  const isBatch = (block: Element) =>
    (headings.get(block) ?? []).some((heading) => BATCH.test(textOf(heading).replace(/\(.*\)/su, '')));
  const [first] = blocks.filter(isBatch).flatMap((block) => links.get(block) ?? []);
  const [link = null] = first ? readLink(first) : [];
  return link;
}

/** None where the address is not one of a page of the source. */
function readLink(link: Element): PrintedLink[] {
  const { pathname = '' } = URL.parse(link.attribs.href ?? '', 'https://source.invalid') ?? {};
  const [, id] = LAST_SEGMENT.exec(pathname) ?? [];
  return id === undefined ? [] : [{ title: excerpt(cleanText(textOf(link)), MAX_TEXT_LENGTH), id }];
}
