import { type Html, html } from './html.ts';

export interface Layout {
  title: string;
  body: Html;
  /** A script of `assets`, which makes better what works without it. */
  script?: string;
}

/** What a page may do: show what its own origin has. No inline script, no frame, no form to elsewhere. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "media-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** On air; in the page itself, so that no browser asks for a favicon that is not there. */
const ICON = svgAddress(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#5a2ea6"/>' +
    '<path d="M12 9.5v13L23 16z" fill="#fff" stroke="#fff" stroke-width="2" stroke-linejoin="round"/></svg>',
);

/** The frame of every page for people. */
export function renderLayout({ title, body, script }: Layout): string {
  const scripts = script ? [html`<script src="/assets/${script}" defer></script>\n`] : [];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · Tayang</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="/assets/style.css">
${scripts}</head>
<body>
<header><a href="/"><img src="${ICON}" width="28" height="28" alt="">Tayang</a></header>
<main>
${body}
</main>
</body>
</html>
`.text;
}

/** The address of a picture that travels in its page. */
export function svgAddress(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
