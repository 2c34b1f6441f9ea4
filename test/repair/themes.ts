import { load } from 'cheerio';
import { SCHEDULE } from '../support/sample-pages.ts';
import { escapeHtml, type ListedCard, readCards, readGroups, readPager } from './read-plainly.ts';

/** Another markup of the same content: the frame of the page stays, and its content gets new elements. */
interface Theme {
  name: string;
  row: string;
  card(card: ListedCard): string;
  list(cards: string): string;
  pager(numbers: number[], current: number, link: (page: number) => string): string;
  group(day: string, entries: { href: string; title: string }[]): string;
  schedule(groups: string): string;
}

const TABLE: Theme = {
  name: 'with classes',
  row: 'the list turned into a table',
  card: ({ href, title, episode, day, date, src }) =>
    `<tr class="baris"><td class="g"><a href="${href}"><img src="${src}" alt="${title} Sub Indo"></a></td><td class="j"><a href="${href}">${title}</a></td><td class="e">${episode}</td><td class="h">${day}</td><td class="t">${date}</td></tr>`,
  list: (cards) =>
    `<table class="daftar"><thead><tr><th>Gambar</th><th>Judul</th><th>Episode</th><th>Hari</th><th>Tanggal</th></tr></thead><tbody>${cards}</tbody></table>`,
  pager: (numbers, current, link) =>
    `<nav class="hal">${numbers.map((page) => (page === current ? `<b>${page}</b>` : `<a href="${link(page)}">${page}</a>`)).join(' ')}</nav>`,
  group: (day, entries) =>
    `<table class="jadwal"><caption>${day}</caption><tbody>${entries.map(({ href, title }) => `<tr><td><a href="${href}">${title}</a></td></tr>`).join('')}</tbody></table>`,
  schedule: (groups) => `<div class="minggu">${groups}</div>`,
};

const BARE_TABLE: Theme = {
  ...TABLE,
  name: 'without classes',
  card: ({ href, title, episode, day, date, src }) =>
    `<tr><td><img src="${src}" alt="${title} Sub Indo"></td><td><a href="${href}">${title}</a></td><td>${episode}</td><td>${day}</td><td>${date}</td></tr>`,
  list: (cards) => `<table><tbody>${cards}</tbody></table>`,
};

const CARDS: Theme = {
  name: 'cards with other classes',
  row: 'the whole theme replaced',
  card: ({ href, title, episode, day, date, src }) =>
    `<article class="bs styletwo"><div class="bsx"><a href="${href}" title="${title}"><div class="limit"><span class="ep">${episode}</span><img src="${src}" class="ts-img" alt="${title} Sub Indo"></div><div class="tt"><h3>${title}</h3></div></a><ul class="meta"><li class="day">${day}</li><li class="date"><time>${date}</time></li></ul></div></article>`,
  list: (cards) => `<section class="listupd">${cards}</section>`,
  pager: (numbers, current, link) =>
    `<ul class="hpage">${numbers.map((page) => (page === current ? `<li class="active"><span>${page}</span></li>` : `<li><a class="r" href="${link(page)}">${page}</a></li>`)).join('')}</ul>`,
  group: (day, entries) =>
    `<div class="bixbox"><div class="releases"><h3><span>${day}</span></h3></div><div class="listupd">${entries.map(({ href, title }) => `<div class="bs"><a class="tip" href="${href}"><b class="tt">${title}</b></a></div>`).join('')}</div></div>`,
  schedule: (groups) => `<main class="postbody">${groups}</main>`,
};

const UTILITIES: Theme = {
  name: 'utility classes',
  row: 'the whole theme replaced',
  card: ({ href, title, episode, day, date, src }) =>
    `<div class="flex flex-col p-2"><a href="${href}" class="block w-full"><img src="/blank.gif" data-src="${src}" class="w-full h-auto" alt="${title} Sub Indo"></a><a href="${href}" class="font-bold text-sm">${title}</a><p class="text-xs"><span>${episode}</span><span>${day}</span><span>${date}</span></p></div>`,
  list: (cards) => `<div id="ongoing" class="grid gap-2">${cards}</div>`,
  pager: (numbers, current, link) =>
    `<div class="flex p-2">${numbers.map((page) => (page === current ? `<span aria-current="page" class="px-1">${page}</span>` : `<a class="px-1" href="${link(page)}">${page}</a>`)).join('')}</div>`,
  group: (day, entries) =>
    `<h3 class="font-bold">${day}</h3><ul class="p-2">${entries.map(({ href, title }) => `<li><a href="${href}">${title}</a></li>`).join('')}</ul>`,
  schedule: (groups) => `<div id="week" class="p-2">${groups}</div>`,
};

const WITH_SIDEBAR: Theme = {
  ...CARDS,
  name: 'cards beside a list of popular anime',
  list: (cards) => {
    const some = [...cards.matchAll(/<article.*?<\/article>/gsu)].slice(2, 9).map(([card]) => {
      const [, href] = /href="([^"]+)"/u.exec(card) ?? [];
      const [, src] = /src="([^"]+)"/u.exec(card) ?? [];
      const [, title] = /<h3>(.*?)<\/h3>/su.exec(card) ?? [];
      return `<li><a href="${href}"><img src="${src}" alt="${title}"><h4>${title}</h4></a></li>`;
    });
    return `<aside class="popular"><ul>${some.join('')}</ul></aside>${CARDS.list(cards)}`;
  },
};

export const THEMES = [TABLE, BARE_TABLE, CARDS, UTILITIES, WITH_SIDEBAR];

export function applyTheme(html: string, path: string, theme: Theme): string {
  const $ = load(html);
  const title = escapeHtml($('title').text());
  const frame = (body: string) =>
    `<!DOCTYPE html><html lang="id"><head><meta charset="utf-8"><title>${title}</title></head><body><header><nav><ul><li><a href="/">Beranda</a></li><li><a href="/anime-list/">Daftar</a></li></ul></nav></header>${body}<footer><p>Otaku</p></footer></body></html>`;
  if (path === SCHEDULE) {
    return frame(
      theme.schedule(
        readGroups($)
          .map(({ day, entries }) => theme.group(day, entries))
          .join(''),
      ),
    );
  }
  const { numbers, current, link } = readPager($);
  const pager = numbers.length > 1 ? theme.pager(numbers, current, link) : '';
  return frame(
    theme.list(
      readCards($)
        .map((card) => theme.card(card))
        .join(''),
    ) + pager,
  );
}
