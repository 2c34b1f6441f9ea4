import { type Html, html } from './html.ts';
import type { Translations } from './i18n/translations.ts';

export const renderCode = (code: string): Html => html`<pre tabindex="0">${code}</pre>\n`;

/** Code to run, with a button that copies it. */
export function renderSample({ copy, copied }: Translations['docs'], source: string): Html {
  const code = source.trimEnd();
  return html`${renderCode(code)}<button class="plain" type="button" data-copy="${code}" data-done="${copied}" hidden>${copy}</button>
`;
}
