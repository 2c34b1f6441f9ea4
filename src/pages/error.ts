import { html } from './html.ts';
import { renderLayout } from './layout.ts';

/** An error for somebody who came with a browser. */
export function renderErrorPage(status: number, message: string): string {
  return renderLayout({ title: String(status), body: html`<h1>${status}</h1>\n<p>${message}</p>` });
}
