import { type Html, html } from './html.ts';
import type { Translations } from './i18n/translations.ts';

/** The part of a page that switches notifications on and off, and says what is kept for them. It needs the script. */
export function renderPush({ push }: Translations): Html {
  return html`<div id="Push" class="push">
<button class="plain" type="button" disabled>${push.start}</button>
<p role="status">${push.lead}</p>
<p class="quiet">${push.privacy}</p>
</div>
`;
}
