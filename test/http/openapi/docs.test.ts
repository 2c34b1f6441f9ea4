import { describe, expect, test } from 'vitest';
import { describeApi, describeIn } from '../../../src/http/openapi/describe-api.ts';
import { API_FACTS } from '../../support/openapi.ts';

const TEXTS = ['title', 'summary', 'description', 'x-displayName'];

/** Every text of a description, by its place. */
function textsIn(value: unknown, place = '$'): [place: string, text: string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => {
    if (typeof one === 'string' && TEXTS.includes(key)) return [[`${place}.${key}`, one] as const];
    return key === 'example' ? [] : textsIn(one, `${place}.${key}`);
  }) as [string, string][];
}

test('every text of the description is translated, and nothing else is', () => {
  const [english, indonesian] = [describeIn('en', API_FACTS), describeIn('id', API_FACTS)];
  const translated = new Map(textsIn(indonesian));
  const same = textsIn(english).filter(([place, text]) => translated.get(place) === text);
  expect(same).toEqual([['$.info.title', 'Tayang']]);
  expect([...translated.keys()]).toEqual(textsIn(english).map(([place]) => place));
  const withoutTexts = (value: unknown) =>
    JSON.stringify(value, (key, one) => (TEXTS.includes(key) && typeof one === 'string' ? '' : one));
  expect(withoutTexts(indonesian)).toBe(withoutTexts(english));
});

describe("the API's page", () => {
  const documents = new Map(describeApi(API_FACTS, 0));

  test('names the hosts to replace, and what takes their place', () => {
    const page = String(documents.get('/docs?lang=en')?.identity.bytes);
    const pairs = page.matchAll(/<code>([^<]+)<\/code><\/dt>\n<dd>becomes <code>([^<]+)/gu);
    const { listing, uploads } = API_FACTS.origins;
    expect([...pairs].map(([, from, to]) => [from, to])).toEqual([
      ['https://storage.neko.pe/api/upload.php', `${uploads}/api/upload.php`],
      ['https://uguu.se/upload', `${uploads}/upload`],
      ['https://litterbox.catbox.moe/resources/internals/api.php', `${uploads}/resources/internals/api.php`],
      ['https://tmpfiles.org/api/v1/upload', `${uploads}/api/v1/upload`],
      ['https://0x0.st', uploads],
      ['https://wajik-anime-api.vercel.app/otakudesu', `${listing}/otakudesu`],
    ]);
  });
});
