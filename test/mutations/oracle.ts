import { type CheerioAPI, load } from 'cheerio';

/**
 * What a person sees on a page who knows nothing of its classes: a browser's parser, and the words themselves. It is
 * naive on purpose, and shares nothing with the parser that it judges. What a card says twice, differently, it
 * does not say.
 */

interface SaidAnime {
  slug: string | undefined;
  title: string | undefined;
  episode: number | undefined;
  day: string | undefined;
  date: string | undefined;
  /** Any of them may be the cover. */
  images: string[];
  /** The texts of the pictures. */
  alts: string[];
}

export interface SaidEntry {
  slug: string | undefined;
  title: string | undefined;
  /** Of the heading above it. */
  day: string | undefined;
}

export interface Said {
  /** One for each item of a list, in order. */
  anime: SaidAnime[];
  entries: SaidEntry[];
  /** For each item of a list, the slugs of its links; and those of all links of the page, in order. */
  slugsOfItems: string[][];
  slugs: string[];
  /** The largest page of a list that a link leads to. */
  lastPageLinked: number;
  /** What the pager marks as the current page. */
  currentPages: string[];
  /** All that the page shows to a reader. */
  text: string;
}

type Elements = ReturnType<CheerioAPI>;

const DAY_WORDS = ['Senin', 'Selasa', 'Rabu', 'Kamis', 'Jumat', 'Sabtu', 'Minggu', 'Random', 'None'];

export function readAsAPerson(html: string, pageUrl: string): Said {
  const $ = load(html);
  const items = $('li').toArray();
  return {
    anime: items.map((item) => readCard($, $(item), pageUrl)),
    entries: readEntries($),
    slugsOfItems: items.map((item) => slugsIn($, $(item))),
    slugs: slugsIn($, $('body')),
    lastPageLinked: Math.max(
      0,
      ...$('a')
        .toArray()
        .map((link) => Number(/\/page\/(\d{1,4})(?!\d)/u.exec($(link).attr('href') ?? '')?.[1] ?? 0)),
    ),
    currentPages: $('[aria-current], .current')
      .toArray()
      .map((one) => squeeze($(one).text())),
    text: squeeze($('body').text()),
  };
}

function readCard($: CheerioAPI, item: Elements, pageUrl: string): SaidAnime {
  const { slug, title } = readLink($, item);
  const texts = textsOf($, item).filter((text) => text !== title);
  const pictures = item.find('img').toArray();
  const addresses = pictures.flatMap((picture) => {
    const { src = '', srcset = '' } = $(picture).attr() ?? {};
    return [src.trim(), ...srcset.split(/[\s,]+/u)].filter(Boolean);
  });
  const episode = theOne(texts.flatMap((text) => /^episode (\d+)$/iu.exec(text)?.[1] ?? []));
  const date = theOne(texts.filter((text) => /^\d\d? [a-z]{3}$/iu.test(text)));
  return {
    slug,
    title,
    episode: episode === undefined ? undefined : Number(episode),
    day: theOne(texts.flatMap((text) => dayIn(text) ?? [])),
    date: date && capitalized(date.replace(/^0/u, '')),
    alts: pictures.map((picture) => squeeze($(picture).attr('alt') ?? '')),
    images: addresses.map((address) => URL.parse(address, pageUrl)?.href ?? address),
  };
}

/** The title is the heading, or the link's text where there is no heading, and the slug that of the link around it. */
function readLink($: CheerioAPI, item: Elements): Pick<SaidAnime, 'slug' | 'title'> {
  const links = linksIn($, item).filter(({ text }) => text !== '');
  const headings = item.find('h2').toArray();
  const around = linksIn($, item.find('h2').closest('a').parent()).filter(({ text }) => text !== '');
  return {
    slug: theOne((around.length > 0 ? around : links).map(({ slug }) => slug)),
    title: theOne(
      headings.length > 0 ? headings.map((one) => squeeze($(one).text())) : links.map(({ text }) => text),
    ),
  };
}

function readEntries($: CheerioAPI): SaidEntry[] {
  let day: string | undefined;
  return $('h2, li')
    .toArray()
    .flatMap((element) => {
      const text = squeeze($(element).text());
      if (element.name === 'h2') {
        day = dayIn(text);
        return [];
      }
      return [{ ...readLink($, $(element)), day }];
    });
}

function slugsIn($: CheerioAPI, where: Elements): string[] {
  return linksIn($, where).map(({ slug }) => slug);
}

/** The links to anime. The text of one is the anime's title. */
function linksIn($: CheerioAPI, where: Elements): { slug: string; text: string }[] {
  return where
    .find('a')
    .toArray()
    .flatMap((link) => {
      const address = URL.parse($(link).attr('href') ?? '', 'https://otakudesu.example')?.pathname;
      const slug = /\/anime\/([^/]+)\/?$/u.exec(address ?? '')?.[1]?.toLowerCase();
      return slug ? [{ slug, text: squeeze($(link).text()) }] : [];
    });
}

/** The texts between the tags. */
function textsOf($: CheerioAPI, item: Elements): string[] {
  return item
    .find('*')
    .addBack()
    .contents()
    .toArray()
    .filter((node) => node.type === 'text')
    .map((node) => squeeze($(node).text()))
    .filter(Boolean);
}

/** What all of them say; undefined when none says anything, or they differ. */
function theOne(said: string[]): string | undefined {
  const different = new Set(said.filter(Boolean));
  return different.size === 1 ? [...different][0] : undefined;
}

/** `Senin`, and its beginning too. */
function dayIn(text: string): string | undefined {
  return DAY_WORDS.find((day) => text.length >= 3 && day.startsWith(capitalized(text)));
}

function squeeze(text: string): string {
  return text.split(/\s+/u).filter(Boolean).join(' ');
}

function capitalized(text: string): string {
  return text.toLowerCase().replace(/[a-z]/u, (letter) => letter.toUpperCase());
}
