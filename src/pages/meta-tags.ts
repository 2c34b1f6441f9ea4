import { type Html, html } from './html.ts';
import { LANGUAGES, type Translations } from './i18n/translations.ts';

interface OpenGraph {
  locale: string;
  title: string;
  description: string | Html;
}

/** What chats and search engines show for a link to any page (Open Graph). */
export function renderOpenGraph({ locale, title, description }: OpenGraph): Html {
  return html`<meta name="description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="Tayang">
<meta property="og:locale" content="${locale.replace('-', '_')}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
`;
}

interface ListingPage {
  /** Public origin; null until it is known. */
  url: string | null;
  path: string;
  title: string;
  description: string;
  /** Absolute address of a picture; without it the preview of the service. */
  image?: string | undefined;
}

/** The tags in the head of a page of the listing, for search engines, link previews and feed readers. */
export function renderMetaTags({ locale }: Translations, page: ListingPage): Html {
  const { url, path, title, description, image } = page;
  const at = (url ?? '') + path;
  const alternates = LANGUAGES.map(
    (one) => html`<link rel="alternate" hreflang="${one}" href="${at}?lang=${one}">\n`,
  );
  const picture = image
    ? html`<meta property="og:image" content="${image}">\n`
    : html`<meta property="og:image" content="${url ?? ''}/assets/preview.png">
<meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630">
<meta property="og:image:alt" content="Tayang">
<meta name="twitter:card" content="summary_large_image">
`;
  const address = html`<link rel="canonical" href="${at}">
<meta property="og:url" content="${at}">
${picture}`;
  return html`${renderOpenGraph({ locale, title, description })}<link rel="manifest" href="/manifest.webmanifest">
<link rel="apple-touch-icon" href="/assets/icon-192.png">
<link rel="alternate" type="application/atom+xml" href="/feeds/episodes.atom">
<link rel="alternate" type="application/feed+json" href="/feeds/episodes.json">
<link rel="alternate" hreflang="x-default" href="${at}">
${alternates}${url ? address : []}`;
}
