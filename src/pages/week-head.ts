import { type Html, html } from './html.ts';
import { TRANSLATIONS } from './i18n/all.ts';
import { LANGUAGES, type Translations } from './i18n/translations.ts';

/** A link to every other language, in that language. */
export function renderLanguages({ language, parts, today, week, ongoing }: Translations): Html {
  const others = LANGUAGES.filter((one) => one !== language).map(
    (one) =>
      html`<a href="/?lang=${one}" hreflang="${one}" lang="${one}" rel="alternate">${TRANSLATIONS[one].name}</a>`,
  );
  return html`<nav aria-label="${parts}"><a href="#Today">${today}</a><a href="#Week">${week}</a><a href="#Ongoing">${ongoing}</a></nav>${others}`;
}

/** What others show of the page when somebody links to it. */
export function renderSocial({ title, description, locale }: Translations, url: string | null): Html {
  const alternates = LANGUAGES.map(
    (one) => html`<link rel="alternate" hreflang="${one}" href="${url ?? ''}/?lang=${one}">\n`,
  );
  const address = url
    ? html`<link rel="canonical" href="${url}/">
<meta property="og:url" content="${url}/">
<meta property="og:image" content="${url}/assets/preview.png">
<meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630">
<meta property="og:image:alt" content="Tayang">
<meta name="twitter:card" content="summary_large_image">
`
    : [];
  return html`<meta name="description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="Tayang">
<meta property="og:locale" content="${locale.replace('-', '_')}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<link rel="alternate" type="application/atom+xml" href="/feeds/episodes.atom">
<link rel="alternate" type="application/feed+json" href="/feeds/episodes.json">
<link rel="alternate" hreflang="x-default" href="${url ?? ''}/">
${alternates}${address}`;
}
