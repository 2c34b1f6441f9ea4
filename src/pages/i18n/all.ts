import { Html, html } from '../html.ts';
import { en } from './en.ts';
import { id } from './id.ts';
import type { Language, Translations } from './translations.ts';

export const TRANSLATIONS: Record<Language, Translations> = { id, en };

/** A text with values where it has `{name}`. Every name must have one. */
export function fill(text: string, values: Record<string, string | number | Html>): Html {
  const parts = text.split(/\{(\w+)\}/u).map((part, index) => {
    const value = index % 2 === 0 ? part : values[part];
    if (value === undefined) throw new Error(`"${text}" has no value for ${part}`);
    return value instanceof Html ? value : html`${value}`;
  });
  return html`${parts}`;
}
