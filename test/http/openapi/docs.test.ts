import { describe, expect, test } from 'vitest';
import { describeApi } from '../../../src/http/openapi/describe-api.ts';
import { createOpenApi } from '../../../src/http/openapi/document.ts';
import { INDONESIAN } from '../../../src/http/openapi/indonesian.ts';
import { presentDocs } from '../../../src/http/openapi/present-docs.ts';
import { findSiteDocument } from '../../../src/http/site-document.ts';

const ORIGINS = { listing: 'https://anime.example.org', uploads: 'https://files.example.net' };
const openApi = createOpenApi(ORIGINS, '1.2.3');

/** Every text of the page that comes from the OpenAPI document. */
function textsOf(language: 'id' | 'en'): string[] {
  const { groups, headers, schemas } = presentDocs(openApi, ORIGINS, language);
  const operations = groups.flatMap((group) => group.operations);
  return [
    ...groups.flatMap(({ name, description }) => [name, description]),
    ...operations.flatMap(({ summary, description }) => [summary, description]),
    ...operations
      .flatMap(({ parameters, responses }) => [...parameters, ...responses])
      .map((one) => one.description),
    ...headers.map(({ description }) => description),
    ...schemas
      .flatMap(({ description, properties }) => [{ description }, ...properties])
      .map((one) => one.description ?? ''),
  ].filter(Boolean);
}

describe("the texts of the API's page", () => {
  test('are complete in Indonesian', () => {
    expect(textsOf('en').filter((text) => INDONESIAN[text] === undefined)).toEqual([]);
  });

  test('have no unused translations', () => {
    const known = new Set(textsOf('en'));
    expect(Object.keys(INDONESIAN).filter((text) => !known.has(text))).toEqual([]);
  });

  test('differ between the languages', () => {
    const english = new Set(textsOf('en'));
    expect(textsOf('id').filter((text) => english.has(text))).toEqual([]);
  });
});

describe("the API's page", () => {
  const documents = new Map(describeApi(ORIGINS, '1.2.3', 0));
  const languageOf = (query: string, acceptLanguage?: string) => {
    const headers = acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage };
    const page = findSiteDocument(documents, '/docs', query, headers);
    return /<html lang="(\w+)"/u.exec(String(page?.identity.bytes))?.[1];
  };

  test.each([
    ['', undefined, 'id'],
    ['', 'en-GB,en;q=0.9,id;q=0.5', 'en'],
    ['', 'fr', 'id'],
    ['lang=id', 'en', 'id'],
    ['lang=en', 'id', 'en'],
    ['lang=fr', 'en', 'en'],
  ])('for ?%s and Accept-Language %s is in %s', (query, acceptLanguage, language) => {
    expect(languageOf(query, acceptLanguage)).toBe(language);
  });

  test('has complete curl commands', () => {
    const { groups } = presentDocs(openApi, ORIGINS, 'en');
    for (const { curl } of groups.flatMap(({ operations }) => operations)) expect(curl).not.toMatch(/[{}]/u);
  });
});
