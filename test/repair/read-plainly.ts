import type { CheerioAPI } from 'cheerio';
import { MIRROR } from '../support/sample-pages.ts';

/** What the written markup says, as it is printed: the content of another theme. */

export interface ListedCard {
  href: string;
  title: string;
  episode: string;
  day: string;
  date: string;
  src: string;
}

export function readCards($: CheerioAPI): ListedCard[] {
  return $('.venz li')
    .toArray()
    .map((card) => ({
      href: $('.thumb a', card).attr('href') ?? '',
      title: escapeHtml($('.jdlflm', card).text()),
      episode: $('.epz', card).text().trim(),
      day: $('.epztipe', card).text().trim(),
      date: $('.newnime', card).text().trim(),
      src: $('.thumbz img', card).attr('src') ?? '',
    }));
}

export function readGroups($: CheerioAPI): { day: string; entries: { href: string; title: string }[] }[] {
  return $('.kglist321')
    .toArray()
    .map((group) => ({
      day: $('h2', group).text(),
      entries: $('li a', group)
        .toArray()
        .map((link) => ({ href: link.attribs.href ?? '', title: escapeHtml($(link).text()) })),
    }));
}

export function readPager($: CheerioAPI) {
  const numbers = $('.page-numbers')
    .toArray()
    .map((one) => Number($(one).text()))
    .filter((one) => Number.isSafeInteger(one) && one > 0);
  return {
    numbers: [...new Set(numbers)],
    current: Number($('.page-numbers.current').text()),
    link: (page: number) => `${MIRROR}/ongoing-anime/page/${page}/`,
  };
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
