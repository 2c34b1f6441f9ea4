import { type Html, html } from './html.ts';
import { LANGUAGES, type Language, TRANSLATIONS, type UploadTranslations } from './i18n/translations.ts';

export interface Layout {
  title: string;
  body: Html;
  language: Language;
  /** At the top, before the links to the other languages. */
  controls?: Html | undefined;
  /**
   * What these links lead to; by default the page itself. Null for an answer to a form, which has no address of its own and
   * no such links.
   */
  address?: string | null;
  /** Below the content. */
  footer?: Html | undefined;
  /** More elements of the head. */
  head?: Html;
  /** Styles of `assets`, beside the one of all pages. */
  styles?: readonly string[];
  /** A script of `assets` that runs before the page is painted, so that nothing has to move afterwards. */
  beforePaint?: string | undefined;
  /** Modules of `assets`, which may import others. The page works without them. */
  modules?: readonly string[];
  /** Whether search engines may list the page; false by default, because uploads are private. */
  isListed?: boolean;
}

/**
 * The Content-Security-Policy of a page. It allows resources of its own origin and pictures of the origins that are
 * named, but no inline script, no frame and no form to another origin.
 */
function pagePolicy(imageOrigins: readonly string[] = []): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    ["img-src 'self' data:", ...imageOrigins].join(' '),
    "media-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * What a browser allows a page, beside its policy. Its address may be a secret, which its links must not disclose; no other page
 * gets hold of its window, and it asks for no device.
 */
export function pageHeaders(imageOrigins?: readonly string[]): Record<string, string> {
  return {
    'Content-Security-Policy': pagePolicy(imageOrigins),
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  };
}

/** The icon of the service: a play button. */
export const ICON_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#5a2ea6"/>' +
  '<path d="M12 9.5v13L23 16z" fill="#fff" stroke="#fff" stroke-width="2" stroke-linejoin="round"/></svg>';

/** The page contains the icon, which saves a request. */
const ICON = svgAddress(ICON_SVG);

/** The frame of every page for people. */
export function renderLayout(layout: Layout): string {
  const { title, body, language, controls = [], address = '', footer, head = [], beforePaint } = layout;
  const languages = address === null ? [] : renderLanguages(language, address);
  const modules = [...(address === null ? [] : ['language.js']), ...(layout.modules ?? [])];
  const styles = ['style.css', ...(layout.styles ?? [])];
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${layout.isListed ? [] : html`<meta name="robots" content="noindex">\n`}<title>${title} · Tayang</title>
<meta name="theme-color" media="(prefers-color-scheme: light)" content="#f7f5fa">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#131117">
<link rel="icon" href="${ICON}">
${styles.map((name) => html`<link rel="stylesheet" href="/assets/${name}">\n`)}${beforePaint ? html`<script src="/assets/${beforePaint}"></script>\n` : []}${modules.map((name) => html`<script src="/assets/${name}" type="module"></script>\n`)}${head}</head>
<body>
<a class="skip button" href="#Main">${TRANSLATIONS[language].skip}</a>
<header><a href="/?lang=${language}"><img src="${ICON}" width="28" height="28" alt="">Tayang</a>${controls}${languages}</header>
<main id="Main">
${body}
</main>
${footer ? html`<footer class="quiet">${footer}</footer>\n` : []}</body>
</html>
`.text;
}

/** The frame of a page of the uploads: it names the operator's contact where there is one. */
export function renderUploadPage(
  { language, contact, operator }: UploadTranslations,
  page: Omit<Layout, 'language' | 'footer' | 'styles'>,
): string {
  const footer = operator ? html`<a href="${operator}">${contact}</a>` : undefined;
  return renderLayout({ ...page, language, footer, styles: ['uploads.css'] });
}

/** The body of a page that says one thing, and leads on. */
export function renderMessage(
  heading: string,
  lead: string | Html,
  [path, name]: readonly [path: string, name: string],
): Html {
  return html`<h1>${heading}</h1>
<p class="lead">${lead}</p>
<p><a class="button" href="${path}">${name}</a></p>`;
}

/** Links to the page in its other languages, each named in that language. */
function renderLanguages(language: Language, address: string): Html {
  const others = LANGUAGES.filter((one) => one !== language);
  const query = `${address}${address.includes('?') ? '&' : '?'}`;
  return html`${others.map((one) => html`<a href="${query}lang=${one}" class="quiet" hreflang="${one}" lang="${one}" rel="alternate">${TRANSLATIONS[one].name}</a>`)}`;
}

/** What chats and search engines show for a link to any page (Open Graph), with more tags by their names. */
export function renderMetaTags(
  locale: string,
  title: string,
  description: string | Html,
  more: Record<string, string | number>,
): Html {
  const tags = {
    description,
    'og:type': 'website',
    'og:site_name': 'Tayang',
    'og:locale': locale.replace('-', '_'),
    'og:title': title,
    'og:description': description,
    ...more,
  };
  return html`${Object.entries(tags).map(([name, content]) => html`<meta ${name.startsWith('og:') ? 'property' : 'name'}="${name}" content="${content}">\n`)}`;
}

/** A `data:` address, for a picture that its page contains. */
export function svgAddress(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
