import { type OngoingAnime, PAGE_SIZE } from '../../../src/domain/listing.ts';
import type { TestSource } from '../../support/source.ts';
import { altering, LIST, only, pageOfList, showPlainly, withAnime } from '../answers.ts';
import type { SourceFault } from '../fault.ts';
import { readRows } from '../read-rows.ts';

const TITLE = /(?<=<h2 class="jdlflm">).*?(?=<\/h2>)/gu;
const COVER = /<img .*?\/>/gu;
const DAY = /(?<=<i class='fa fa-star'><\/i> )\w+/gu;
const EPISODE = /(?<=<\/span> Episode )\d+/gu;

const addOne = (episode: string) => `${Number(episode) + 1}`;

const JUST_IN_TIME_MS = 700;

/** Writes the matches of a page in another order. */
const reorder = (part: RegExp, order: (found: string[]) => string[]) => (html: string) => {
  const found = order(html.match(part) ?? []).values();
  return html.replace(part, () => found.next().value ?? '');
};
const shift = (found: string[]) => [...found.slice(-1), ...found.slice(0, -1)];
const exchange = (found: string[]) => found.with(4, found[5] ?? '').with(5, found[4] ?? '');

/** Pages in the form of the site, whose records look right one by one. */
export const lies: SourceFault[] = [
  {
    name: 'titles shifted by a card',
    does: 'shows each title of the list on the next card',
    state: 'changed',
    expectedReason: /the ongoing list contradicts what is known: title differs on 1\d\d of 132 cards/u,
    begin: ({ configured }) => altering(configured, reorder(TITLE, shift)),
  },
  {
    name: 'covers of two cards exchanged',
    does: "shows the cover of one card of page 1 on its neighbour's, and the other way round",
    state: 'ok',
    expectedReason: /ongoing page 1, card 5: image .* contradicts .*; its last good record stays/u,
    begin: ({ configured }) => altering(configured, reorder(COVER, exchange), LIST),
  },
  {
    name: 'days of two cards exchanged',
    does: "shows the day of one card of page 1 on its neighbour's, and the other way round",
    state: 'ok',
    expectedReason: /ongoing page 1, card 5: day .* contradicts the schedule; its last good record stays/u,
    begin: ({ configured }) => altering(configured, reorder(DAY, exchange), LIST),
  },
  {
    name: 'every episode one higher',
    does: 'shows an episode more on every card, with the date of the last one',
    state: 'changed',
    expectedReason: /the ongoing list contradicts what is known: episode differs on 132 of 132 cards/u,
    begin: ({ configured }) => altering(configured, (html) => html.replace(EPISODE, addOne)),
  },
  {
    name: 'coming episode in a new theme',
    does: 'calls `.epz` something else on every card, and shows the coming episode there',
    state: 'changed',
    expectedReason: /episode is missing on 132 of 132 cards.*its selectors cannot be repaired: episode/u,
    begin: ({ configured }) =>
      altering(configured, (html) => html.replace(EPISODE, addOne).replaceAll("'epz'", "'epz-baru'")),
  },
  {
    name: 'half of the pages gone',
    does: 'shows the first half of the list, and no more pages',
    state: 'changed',
    expectedReason: /66 of 132 anime are gone/u,
    begin: ({ configured }) => showPlainly(withAnime(configured, configured.catalogue.anime.slice(0, 66))),
  },
  {
    name: 'page 2 from a stale cache',
    does: 'shows page 2 as it was before an anime of it had its last episode, and the other pages as they are',
    state: 'ok',
    expectedReason:
      /ongoing page 2, card 16: episode .* contradicts the last good list.*; its last good record stays/u,
    begin({ configured }) {
      const { anime } = configured.catalogue;
      const one = anime[40] as OngoingAnime;
      const older: OngoingAnime = { ...one, episode: one.episode - 1, date: '1 Sep' };
      return only(pageOfList(2), showPlainly(withAnime(configured, anime.with(40, older))));
    },
  },
  {
    name: 'pager without end',
    does: 'shows a list each of whose pages says that one more follows',
    state: 'changed',
    expectedReason: /page 1 says that the list ends at 2, page 4 says at 5/u,
    begin({ configured }) {
      const pages = Array.from({ length: 100 }, (_, index) =>
        only(pageOfList(index + 1), showPlainly(withAnime(configured, makeList(configured, index + 2)))),
      );
      return (request, response) => pages.some((show) => show(request, response));
    },
  },
  {
    name: 'long list, each page just in time',
    does: 'shows a list of 20 pages, and takes 0.7 s for each of them',
    state: 'down',
    expectedReason: /the crawl took longer than 12000 ms/u,
    isTimed: true,
    begin({ configured }) {
      const show = showPlainly(withAnime(configured, makeList(configured, 20)));
      return (request, response) => {
        setTimeout(() => show(request, response), JUST_IN_TIME_MS);
        return true;
      };
    },
  },
  ...readRows('lies'),
];

/** A list of so many full pages: the anime of the site, then more like them. */
function makeList({ catalogue }: TestSource, pages: number): OngoingAnime[] {
  const { anime } = catalogue;
  return Array.from({ length: pages * PAGE_SIZE }, (_, index) => {
    const one = anime[index % anime.length] as OngoingAnime;
    return index < anime.length ? one : { ...one, slug: `${index}-${one.slug}` };
  });
}
