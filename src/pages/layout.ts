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
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The frame of every page for people. */
export function renderLayout({ title, body, script }: Layout): string {
  const scripts = script ? [html`<script src="/assets/${script}" defer></script>`] : [];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · Tayang</title>
<link rel="stylesheet" href="/assets/style.css">
${scripts}
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`.text;
}
