import type { CheerioAPI } from 'cheerio';
import { type Change, type Edit, editing, renameClasses } from './change.ts';

/** Pages that say something else than before: none of them may be believed, whatever their markup. */
export function listLies(): Change[] {
  return Object.entries(LIES).flatMap(([name, edit]) => {
    const row = name.replace(/:.*/u, '');
    const asBefore = editing('lie', row, `${name}, markup as before`, edit);
    // Where the classes of the fields are gone as well, to swap the contents is to move the fields, and no lie.
    const isMeant = (one: string) => !name.includes('swapped') || !SWAPPED.includes(one);
    const renamed = editing('lie', row, `${name}, classes renamed`, ($, path) => {
      edit($, path);
      renameClasses($, isMeant);
    });
    return [asBefore, renamed];
  });
}

const FIELDS = {
  title: '.jdlflm',
  episode: '.epz',
  day: '.epztipe',
  date: '.newnime',
  cover: '.thumbz img',
  link: '.thumb a',
};

const SWAPPED = ['epz', 'epztipe', 'newnime', 'jdlflm'];

const LIES: Record<string, Edit> = {
  ...Object.fromEntries(
    Object.entries(FIELDS).map(([name, selector]) => [`a field gone: ${name}`, remover(selector)]),
  ),
  'a date in another form: 2026-02-11': ($) => void $('.newnime').text('2026-02-11'),
  'a date in another form: 11/02': ($) => void $('.newnime').text('11/02'),
  'episodes + 40': ($) =>
    change($, '.epz', (text) => text.replace(/\d+/u, (number) => `${Number(number) + 40}`)),
  'the coming episode': ($) =>
    change($, '.epz', (text) => text.replace(/\d+/u, (number) => `${Number(number) + 1}`)),
  'titles shortened: with dots': ($) =>
    change($, '.jdlflm', (text) => (text.length > 16 ? `${text.slice(0, 13)}...` : text)),
  'titles shortened: without a sign': ($) => change($, '.jdlflm', (text) => text.slice(0, 14)),
  'titles shifted by one card': ($) => shift($, '.jdlflm', 'text'),
  'covers shifted by one card': ($) => {
    shift($, '.thumbz img', 'src');
    shift($, '.thumbz img', 'srcset');
  },
  'covers shifted by one card: src alone': ($) => shift($, '.thumbz img', 'src'),
  'two fields swapped in content: episode and date': ($) => swap($, '.epz', '.newnime'),
  'two fields swapped in content: day and date': ($) => swap($, '.epztipe', '.newnime'),
  'two fields swapped in content: title and day': ($) => swap($, '.jdlflm', '.epztipe'),
  'other slugs': ($) => {
    relink($, 'x-');
  },
  "another site's list in the same theme": ($) => {
    relink($, 'lain-');
    change($, '.jdlflm', (text) => `Lain ${text}`);
    change($, '.kglist321 a', (text) => `Lain ${text}`);
    for (const image of $('.thumbz img').toArray()) {
      $(image).attr('alt', `Lain ${$(image).attr('alt')}`);
      $(image).attr('src', $(image).attr('src')?.replace('/uploads/', '/uploads/lain/') ?? '');
    }
  },
};

function remover(selector: string): Edit {
  return ($) => {
    for (const element of $(selector).toArray()) {
      if ($(element).is('a')) $(element).replaceWith($(element).contents());
      else $(element).remove();
    }
  };
}

function relink($: CheerioAPI, prefix: string): void {
  for (const link of $('a').toArray()) {
    $(link).attr('href', ($(link).attr('href') ?? '').replace('/anime/', `/anime/${prefix}`));
  }
}

function change($: CheerioAPI, selector: string, make: (text: string) => string): void {
  for (const element of $(selector).toArray()) $(element).text(make($(element).text()));
}

function shift($: CheerioAPI, selector: string, what: 'text' | 'src' | 'srcset'): void {
  const all = $(selector).toArray();
  const values = all.map((element) => (what === 'text' ? $(element).text() : ($(element).attr(what) ?? '')));
  for (const [index, element] of all.entries()) {
    const value = values.at(index - 1) ?? '';
    if (what === 'text') $(element).text(value);
    else $(element).attr(what, value);
  }
}

function swap($: CheerioAPI, one: string, other: string): void {
  const others = $(other).toArray();
  for (const [index, element] of $(one).toArray().entries()) {
    const partner = others[index];
    if (!partner) continue;
    const text = $(element).text();
    $(element).text($(partner).text());
    $(partner).text(text);
  }
}
