import { type Html, html } from './html.ts';
import { TRANSLATIONS } from './i18n/all.ts';
import { LANGUAGES, type Language } from './i18n/translations.ts';

export interface Layout {
  title: string;
  body: Html;
  /** English unless it says otherwise. */
  language?: string;
  /** Beside the name, at the top of the page. */
  nav?: Html;
  /** What its head has beside what every page has. */
  head?: Html;
  /** A style of `assets` that other pages do not need. */
  style?: string;
  /** A script of `assets`, which makes better what works without it. */
  script?: string;
  /** The same as a module, which may import others of `assets`. */
  module?: string;
  /** Whether search engines may list it. Pages that hold what somebody uploaded are not theirs to list. */
  isListed?: boolean;
}

/**
 * What a page may do: show what its own origin has, and pictures of other origins that it names. No inline script,
 * no frame, no form to elsewhere.
 */
export function pagePolicy(imageOrigins: readonly string[] = []): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    ["img-src 'self' data:", ...imageOrigins].join(' '),
    "media-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

export const PAGE_POLICY = pagePolicy();

/** On air. */
export const ICON_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#5a2ea6"/>' +
  '<path d="M12 9.5v13L23 16z" fill="#fff" stroke="#fff" stroke-width="2" stroke-linejoin="round"/></svg>';

/** In the page itself: one request less. */
const ICON = svgAddress(ICON_SVG);

/** The frame of every page for people. */
export function renderLayout(layout: Layout): string {
  const { title, body, language = 'en', nav, head, style, script, module, isListed = false } = layout;
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${isListed ? [] : html`<meta name="robots" content="noindex">\n`}<title>${title} · Tayang</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="/assets/style.css">
${style ? html`<link rel="stylesheet" href="/assets/${style}">\n` : []}${script ? html`<script src="/assets/${script}" defer></script>\n` : []}${module ? html`<script type="module" src="/assets/${module}"></script>\n` : []}${head ?? []}</head>
<body>
<header><a href="/"><img src="${ICON}" width="28" height="28" alt="">Tayang</a>${nav ?? []}</header>
<main>
${body}
</main>
</body>
</html>
`.text;
}

/** Links to the same page in its other languages, each in that language. */
export function renderLanguages(language: Language): Html {
  const others = LANGUAGES.filter((one) => one !== language);
  return html`${others.map((one) => html`<a href="?lang=${one}" hreflang="${one}" lang="${one}" rel="alternate">${TRANSLATIONS[one].name}</a>`)}`;
}

/** The address of a picture that travels in its page. */
export function svgAddress(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
