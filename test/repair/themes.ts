import { type CheerioAPI, load } from 'cheerio';
import { MIRROR, SCHEDULE } from '../support/sample-pages.ts';
import THEMES from './themes.json' with { type: 'json' };

/** Other markups of the same content: the frame of the page stays, and its content gets new elements. */
export { THEMES };

type Theme = (typeof THEMES)[number];
type Values = Record<string, string | number>;

const FRAME =
  '<!DOCTYPE html><html lang="id"><head><meta charset="utf-8"><title>{title}</title></head><body><header><nav><ul><li><a href="/">Beranda</a></li><li><a href="/anime-list/">Daftar</a></li></ul></nav></header>{body}<footer><p>Otaku</p></footer></body></html>';

/** Fills in the `{names}` of a template. */
function fill(template: string, values: Values): string {
  return template.replaceAll(/\{(\w+)\}/gu, (_, name: string) => String(values[name]));
}

const fillAll = (template: string, all: readonly Values[]) => all.map((one) => fill(template, one)).join('');

export function applyTheme(html: string, path: string, theme: Theme): string {
  const $ = load(html);
  const body = path === SCHEDULE ? renderSchedule($, theme) : renderList($, theme);
  return fill(FRAME, { title: escapeHtml($('title').text()), body });
}

/** What the written markup says, as it is printed, is the content of the other theme. */
function renderList($: CheerioAPI, { card, list, popular = '', pager }: Theme): string {
  const cards = $('.venz li')
    .toArray()
    .map((item) => ({
      href: $('.thumb a', item).attr('href') ?? '',
      title: escapeHtml($('.jdlflm', item).text()),
      episode: $('.epz', item).text().trim(),
      day: $('.epztipe', item).text().trim(),
      date: $('.newnime', item).text().trim(),
      src: $('.thumbz img', item).attr('src') ?? '',
    }));
  const numbers = $('.page-numbers')
    .toArray()
    .map((one) => Number($(one).text()))
    .filter((one) => Number.isSafeInteger(one) && one > 0);
  const current = Number($('.page-numbers.current').text());
  const links = [...new Set(numbers)].map((page) =>
    fill(page === current ? pager.current : pager.other, {
      page,
      href: `${MIRROR}/ongoing-anime/page/${page}/`,
    }),
  );
  const shown = fill(list, { cards: fillAll(card, cards), popular: fillAll(popular, cards.slice(2, 9)) });
  return links.length > 1 ? shown + fill(pager.all, { pages: links.join(pager.between) }) : shown;
}

function renderSchedule($: CheerioAPI, { group, entry, schedule }: Theme): string {
  const groups = $('.kglist321')
    .toArray()
    .map((one) => {
      const entries = $('li a', one)
        .toArray()
        .map((link) => ({ href: link.attribs.href ?? '', title: escapeHtml($(link).text()) }));
      return { day: $('h2', one).text(), entries: fillAll(entry, entries) };
    });
  return fill(schedule, { groups: fillAll(group, groups) });
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
