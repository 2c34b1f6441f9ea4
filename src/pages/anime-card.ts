import { type Html, html } from './html.ts';
import type { Language } from './i18n/translations.ts';

/** The page of an anime keeps the language of the page that links to it. */
export const animePath = (slug: string, language: Language) => `/anime/${slug}?lang=${language}`;

/**
 * A box of the cover's shape that keeps its size, with or without the picture; without one it shows the title's
 * initial. The title is beside it, so the picture needs no text of its own. `coverOrigins`: a cover of another origin is
 * left out, because the policy of the page does not allow it.
 */
export function renderCover(title: string, image: string | undefined, coverOrigins: readonly string[]): Html {
  const initial = (/[\p{L}\p{N}]/u.exec(title)?.[0] ?? '?').toUpperCase();
  const isShown = coverOrigins.includes(URL.parse(image ?? '')?.origin ?? '');
  const picture =
    image && isShown
      ? html`<img src="${image}" alt="" loading="lazy" decoding="async" referrerpolicy="no-referrer">`
      : [];
  return html`<div class="cover" data-initial="${initial}">${picture}</div>`;
}
