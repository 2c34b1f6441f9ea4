import { type Html, html } from './html.ts';
import type { Translations } from './i18n/translations.ts';

export const renderCode = (code: string): Html => html`<pre tabindex="0">${code}</pre>\n`;

/** A text in which backticks enclose code. */
export function renderText(text: string): Html {
  const parts = text.split('`');
  return html`${parts.map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))}`;
}

/** Code to run, with a button that copies it. */
export function renderSample({ copy, copied }: Translations['docs'], source: string): Html {
  const code = source.trimEnd();
  return html`${renderCode(code)}<button class="plain" type="button" data-copy="${code}" data-done="${copied}" hidden>${copy}</button>
`;
}
