import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describeIn } from '../../src/http/openapi/describe-api.ts';
import { LANGUAGES, type Language, TRANSLATIONS } from '../../src/pages/i18n/translations.ts';
import { API_FACTS } from './openapi.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const LAYOUT = readFileSync(path.join(import.meta.dirname, 'layout-faults-in-page.js'), 'utf8');

/** The violations of all rules, or of those that are named, that axe finds, each with its rule and element. */
export async function findAxeViolations(page: Page, runOnly?: string[]): Promise<string[]> {
  await page.evaluate(AXE);
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly });
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    `axe.run(document, ${options})`,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`));
}

/** Elements that overflow their box, controls that are too low for a thumb, and columns that are too narrow. */
export function findLayoutFaults(page: Page, minCharacters = 8): Promise<string[]> {
  return page.evaluate<string[]>(`globalThis.minCharacters = ${minCharacters}; ${LAYOUT}`);
}

/** Texts of another language that the page shows or names something by; texts of one word may be of both. */
export async function findForeignTexts(page: Page, language: Language): Promise<string[]> {
  const shown = await page.evaluate<string>(`[
    document.title,
    // Code is the same in each language.
    [...document.querySelectorAll('pre')].reduce(
      (text, code) => text.replace(code.innerText, ''),
      document.querySelector('main').innerText,
    ),
    ...[...document.querySelectorAll('[aria-label]')].map((one) => one.getAttribute('aria-label')),
  ].join('\\n')`);
  return LANGUAGES.filter((one) => one !== language)
    .flatMap((one) => [...TEXTS[one].difference(TEXTS[language])])
    .filter((text) => shown.includes(text));
}

const TEXTS = { id: new Set(textsOf('id')), en: new Set(textsOf('en')) };

function textsOf(language: Language): string[] {
  const docs = describeIn(language, API_FACTS);
  // What stands between the values of a text is a text of its own.
  return [TRANSLATIONS[language], docs]
    .flatMap(stringsIn)
    .flatMap((text) => text.split(/\{\w+(?::[^}]*)?\}/u))
    .map((text) => text.replace(/^\W+|\W+$/gu, ''))
    .filter((text) => text.includes(' '));
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(stringsIn) : [];
}
