import {
  altering,
  inLatin1,
  LIST,
  mislabelled,
  pageOfList,
  renderPath,
  SCHEDULE,
  serving,
  showPlainly,
} from '../answers.ts';
import type { SourceFault } from '../fault.ts';

const HOUR_MS = 3_600_000;
const renamed = (name: string) => (html: string) => html.replaceAll(name, `${name}-baru`);
const withCards = (count: number) => (html: string) =>
  html.replace(/(<div class="venz"><ul>)((?:<li>.*?<\/li>)*)/u, (_all, start: string, cards: string) => {
    const kept = cards.match(/<li>.*?<\/li>/gu)?.slice(0, count) ?? [];
    return start + kept.join('');
  });
const cut = (html: string) => html.slice(0, html.length * 0.7);

/** What is wrong with a page that came. */
export const pageFaults: SourceFault[] = [
  {
    name: 'cut page',
    does: 'ends page 2 of the list in the midst of a card',
    state: 'down',
    expectedReason: /cut off: it does not end in <\/html>/u,
    begin: ({ configured }) => altering(configured, cut, pageOfList(2)),
  },
  {
    name: 'wrong charset',
    does: 'sends Latin-1 and calls it UTF-8',
    state: 'changed',
    expectedReason: /is not valid UTF-8/u,
    begin: ({ configured }) => serving(configured, inLatin1),
  },
  {
    name: 'wrong label',
    does: 'sends UTF-8 and calls it ISO-8859-1',
    state: 'ok',
    begin: ({ configured }) => serving(configured, mislabelled),
  },
  {
    name: 'empty list',
    does: 'shows the list without a card',
    state: 'changed',
    expectedReason: /page 1 of the ongoing list has no cards/u,
    begin: ({ configured }) => altering(configured, withCards(0)),
  },
  {
    name: 'empty page 4',
    does: 'shows page 4 of the list without a card',
    state: 'changed',
    expectedReason: /page 4 of the ongoing list has no cards although the pager goes to 6/u,
    begin: ({ configured }) => altering(configured, withCards(0), pageOfList(4)),
  },
  {
    name: 'empty schedule',
    does: 'shows the schedule without an entry',
    state: 'changed',
    expectedReason: /the schedule is empty/u,
    begin: ({ configured }) => altering(configured, (html) => html.replace(/<li>.*?<\/li>/gu, ''), SCHEDULE),
  },
  {
    name: 'three of 25 cards',
    does: 'shows three of the 25 cards of page 3',
    state: 'changed',
    expectedReason: /page 3 of the ongoing list has 3 cards although .* others have 25/u,
    begin: ({ configured }) => altering(configured, withCards(3), pageOfList(3)),
  },
  {
    name: 'three of 25 cards on page 1',
    does: 'shows three of the 25 cards of page 1',
    state: 'changed',
    expectedReason: /page 1 of the ongoing list has 3 cards although .* others have 25/u,
    begin: ({ configured }) => altering(configured, withCards(3), LIST),
  },
  {
    name: 'items that are no cards',
    does: "has an empty item and an advertisement with another site's anime in the list",
    state: 'ok',
    begin: ({ configured }) =>
      altering(configured, (html) =>
        html.replace(
          '<li>',
          '<li></li><li><div class=\'detpost\'><a href="https://iklan.example/anime/beli/">Beli</a></div></li><li>',
        ),
      ),
  },
  {
    name: 'two themes in turn',
    does: 'calls `.jdlflm` something else on every second page that it sends',
    state: 'ok',
    expectedReason: /reading it by title \.jdlflm-baru in place of \.jdlflm/u,
    begin({ configured }) {
      let sent = 0;
      return altering(configured, (html) => {
        sent += 1;
        return sent % 2 === 0 ? renamed('jdlflm')(html) : html;
      });
    },
  },
  {
    name: 'one field renamed',
    does: 'calls `.jdlflm` something else on every card',
    state: 'ok',
    expectedReason: /reading it by title \.jdlflm-baru in place of \.jdlflm/u,
    begin: ({ configured }) => altering(configured, renamed('jdlflm')),
  },
  {
    name: 'one field renamed on page 4',
    does: 'calls `.epztipe` something else on page 4 of the list',
    state: 'ok',
    expectedReason: /reading it by day \.epztipe-baru in place of \.epztipe/u,
    begin: ({ configured }) => altering(configured, renamed('epztipe'), pageOfList(4)),
  },
  {
    name: 'the frame renamed on page 4',
    does: 'calls `.venz` something else on page 4 of the list',
    state: 'ok',
    expectedReason: /reading it by list ul in place of \.venz/u,
    begin: ({ configured }) => altering(configured, renamed('class="venz'), pageOfList(4)),
  },
  {
    name: 'page 1 served for page 2',
    does: 'shows page 1 of the list at the address of page 2',
    state: 'changed',
    expectedReason: /page 2 of the ongoing list was requested, but page 1 was sent/u,
    begin: ({ configured }) => altering(configured, () => renderPath(configured, LIST) ?? '', pageOfList(2)),
  },
  {
    name: 'stale page-cache copy',
    does: 'shows the same pages with a `Last-Modified` of an hour ago',
    state: 'ok',
    begin: ({ configured }) => showPlainly(configured, new Date(Date.now() - HOUR_MS)),
  },
];
