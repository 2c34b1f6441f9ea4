import type { AnimeRecord } from '../domain/anime-record.ts';
import { coverPath, type PictureSize } from '../domain/cover.ts';
import type { FlatStatus } from '../store/source-status.ts';
import type { Times } from './formats.ts';
import { fill, Html, html } from './html.ts';
import { LANGUAGES, type Language, type Translations } from './i18n/translations.ts';
import { type Layout, renderLayout, renderMetaTags } from './layout.ts';

/** What the pages of the listing have in common, in one language. */
export interface PageContext {
  texts: Translations;
  times: Times;
  /** Public origin. */
  url: string;
  /** The other origins that covers are shown from: the policy of the pages allows no others. Empty where all are ours. */
  coverOrigins: readonly string[];
  /** The current slug of each renamed anime, by its former slugs. */
  renamed: ReadonlyMap<string, string>;
  /** The state of the source; times in ms since 1970. */
  status: Pick<FlatStatus, 'state' | 'since' | 'readAt' | 'refreshedAt'>;
  /** Whether Web Push is switched on. */
  hasPush?: boolean | undefined;
  /** Whether channels of strangers are told. */
  hasChannels?: boolean | undefined;
}

/** The page of an anime keeps the language of the page that links to it. */
export const animePath = (slug: string, language: Language) => `/anime/${slug}?lang=${language}`;

interface ListingPage extends Pick<Layout, 'title' | 'body' | 'beforePaint' | 'controls' | 'modules'> {
  path: string;
  /** What the scripts read: attributes of data, by their names without `data-`. */
  data: Record<string, string>;
  description: string;
  /** A picture by its absolute address, and its size where that is known; without it the preview of the service. */
  picture?: { address: string; size?: PictureSize | undefined } | undefined;
  /** What search engines read of the subject of the page, in the words of https://schema.org. */
  structuredData?: object;
  /** Beside that of every page of the listing. */
  styles: readonly string[];
}

/** The frame of a page of the listing. */
export function renderListingPage(context: PageContext, page: ListingPage): string {
  const { texts, times, hasPush, renamed } = context;
  const { path, modules = [], styles, body, ...rest } = page;
  const data = {
    texts: JSON.stringify(texts.scripts),
    'time-zone': times.timeZone,
    ...(renamed.size > 0 && { renamed: JSON.stringify(Object.fromEntries(renamed)) }),
    ...page.data,
  };
  const attributes = Object.entries(data).map(([name, value]) => html` data-${name}="${value}"`);
  return renderLayout({
    ...rest,
    body: html`${body}\n<div id="Page"${attributes} hidden></div>`,
    language: texts.language,
    address: path,
    styles: ['listing.css', ...styles],
    modules: ['my-anime.js', 'clock.js', ...modules, ...(hasPush ? ['push.js'] : [])],
    isListed: true,
    head: renderHead(context, page),
    footer: renderFooter(texts, context.coverOrigins.length > 0),
  });
}

/** What the head has for search engines, link previews and feed readers. */
function renderHead({ texts: { locale }, url }: PageContext, page: ListingPage): Html {
  const { path, title, description, picture } = page;
  const at = url + path;
  const alternates = LANGUAGES.map(
    (one) => html`<link rel="alternate" hreflang="${one}" href="${at}?lang=${one}">\n`,
  );
  const preview = {
    'og:image': `${url}/assets/preview.png`,
    'og:image:width': 1200,
    'og:image:height': 630,
    'og:image:alt': 'Tayang',
    'twitter:card': 'summary_large_image',
  };
  const { address, size } = picture ?? {};
  const cover = {
    ...(address && { 'og:image': address, 'twitter:card': 'summary' }),
    ...(size && { 'og:image:width': size.width, 'og:image:height': size.height }),
  };
  return html`${renderMetaTags(locale, title, description, { 'og:url': at, ...(address ? cover : preview) })}${renderStructuredData(page.structuredData)}<link rel="manifest" href="/manifest.webmanifest">
<link rel="apple-touch-icon" href="/assets/icon-192.png">
<link rel="alternate" type="application/atom+xml" href="/feeds/episodes.atom">
<link rel="alternate" type="application/feed+json" href="/feeds/episodes.json">
<link rel="alternate" hreflang="x-default" href="${at}">
${alternates}<link rel="canonical" href="${at}">
`;
}

/** Data and no script, so the policy of the page allows it. No text in it ends the element. */
function renderStructuredData(data: object | undefined): Html | [] {
  if (!data) return [];
  const json = JSON.stringify({ '@context': 'https://schema.org', ...data }).replaceAll('<', '\\u003c');
  return html`<script type="application/ld+json">${new Html(json)}</script>\n`;
}

/** The notice that the data is stale, and why; empty while the source is ok, and before the first attempt. */
export function renderTrouble({ status, texts, times }: PageContext): Html | [] {
  const { state, since, refreshedAt } = status;
  if (state === null || state === 'ok' || since === null) return [];
  const { heading } = texts.stale[state];
  const good = times.moment(refreshedAt ?? since);
  return html`<section class="card trouble" aria-labelledby="Trouble">
<h2 id="Trouble">${heading}</h2>
<p>${fill(texts.staleCopy, { good })} <a href="/status?lang=${texts.language}">${texts.status.link}</a></p>
</section>
`;
}

/**
 * The button that switches notifications on and off, and what it does. It needs the script. Empty where Web Push is off.
 */
export function renderPush({ hasPush, texts: { push } }: PageContext): Html | [] {
  if (!hasPush) return [];
  return html`<section id="Push" class="live">
<button id="PushButton" class="plain" type="button" disabled>${push.start}</button>
${renderPushNote(push)}
</section>
`;
}

/** Leads to announcements in a channel, of one anime or of all. Empty where channels are off. */
export function renderChannelsLink({ hasChannels, texts }: PageContext, slug?: string): Html | [] {
  if (!hasChannels) return [];
  const query = slug === undefined ? '' : `&anime=${encodeURIComponent(slug)}`;
  return html`<p><a href="/channels?lang=${texts.language}${query}">${texts.channels.link}</a></p>
`;
}

/** What the button says, and what is stored for it. */
export function renderPushNote(push: Translations['push']): Html {
  return html`<p class="quiet" role="status">${push.lead}</p>
<details class="quiet"><summary>${push.what}</summary><p>${push.privacy}</p></details>`;
}

/** What is shown of the cover of an anime. */
type CoverOf = Pick<AnimeRecord, 'title' | 'slug' | 'image' | 'cover'>;

/** The style has so many colours for covers that are missing. */
const HUES = 8;

/**
 * A box of the cover's shape that keeps its size, with or without the picture; without one it shows the title, on a colour of
 * its own. Where a picture does not load, the script adds the title. It is beside the cover, so the picture needs no text.
 */
export function renderCover(record: CoverOf, context: PageContext): Html {
  const hue = [...record.slug].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7) % HUES;
  const picture = renderPicture(record, context);
  const title = Array.isArray(picture) ? html` data-title="${record.title}"` : [];
  return html`<div class="cover"${title} data-hue="${hue}">${picture}</div>`;
}

/** Our cover, else that of the source, unless it is of an origin that the policy of the page does not allow. */
export function renderPicture(
  { slug, image, cover }: CoverOf,
  { coverOrigins }: PageContext,
  attributes: Html | [] = [],
): Html | [] {
  if (cover) {
    const { width, height } = cover.small;
    return html`<img${attributes} src="${coverPath(slug, cover, 'webp')}" width="${width}" height="${height}" alt="" loading="lazy" decoding="async">`;
  }
  if (!image || !coverOrigins.includes(URL.parse(image)?.origin ?? '')) return [];
  return html`<img${attributes} src="${image}" alt="" loading="lazy" decoding="async" referrerpolicy="no-referrer">`;
}

/** A control for the zone in which times are shown; without scripts the name of the zone that they are in. */
export function renderZone({ texts, times }: PageContext, now: number): Html {
  const name = times.zone(now);
  return html`<span class="zone"><noscript>${name}</noscript><select id="Zone" class="live" aria-label="${texts.zone}"><option>${name}</option></select></span>`;
}

/** The links below every page of the listing, and what a browser connects to. */
export function renderFooter(
  { language, connections, status, calendar, forDevelopers }: Translations,
  hasForeignCovers = false,
): Html {
  const links = [
    [`/status?lang=${language}`, status.link],
    [`/docs?lang=${language}`, forDevelopers],
    ['/feeds/episodes.atom', 'Atom'],
    ['/feeds/schedule.ics', calendar.file],
  ] as const;
  return html`<p class="links cluster">${links.map(([path, name]) => html`<a href="${path}">${name}</a> `)}</p>
<p>${hasForeignCovers ? connections.foreignCovers : connections.own}</p>`;
}

/** The address by which programs subscribe to a calendar of ours. */
export function calendarAddress(url: string, path: string): string {
  return `webcal://${new URL(url).host}${path}`;
}

/** Links that subscribe to a calendar, and the file itself beside them. */
export function renderCalendar(url: string, path: string, { calendar }: Translations): Html {
  return html`<span class="links cluster"><a class="button plain" href="${calendarAddress(url, path)}">${calendar.subscribe}</a> <a href="${path}" download>${calendar.file}</a></span>`;
}
