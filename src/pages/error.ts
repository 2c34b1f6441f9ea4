import { html } from './html.ts';

/** An error for somebody who came with a browser. */
export function renderErrorPage(status: number, message: string): string {
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${status} · Tayang</title>
<h1>${status}</h1>
<p>${message}</p>
</html>
`.text;
}
