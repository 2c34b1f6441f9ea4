import { describe, expect, test } from 'vitest';
import { multipart, openOnce, openUploads, part } from '../../support/upload-client.ts';
import NAMES from './names.json' with { type: 'json' };

const uploads = openOnce(openUploads);

/** Uploads a file with exactly this parameter, for example `filename="a.txt"`. */
const sendNamed = (filename: string) => uploads.post(multipart(part(`form-data; name="file"; ${filename}`)));

async function nameOf(filename: string): Promise<string> {
  const { result } = (await sendNamed(filename)).json();
  return result.originalname;
}

describe('originalname', () => {
  test.each(NAMES.unchanged)('is unchanged: %s', async (name) => {
    expect(await nameOf(`filename="${name}"`)).toBe(name);
  });

  test.each(['a', '写'])('may have 5,000 characters like %s', async (character) => {
    const name = `${character.repeat(4_996)}.txt`;
    expect(await nameOf(`filename="${name}"`)).toBe(name);
  });

  test.each(NAMES.quoted as [string, string][])('of filename="%j" is %j', async (sent, name) => {
    expect(await nameOf(`filename="${sent}"`)).toBe(name);
  });

  test.each(NAMES.parameters as [string, string][])('of %s is %j', async (filename, name) => {
    expect(await nameOf(filename)).toBe(name);
  });

  test.each([
    ['', 'empty'],
    ['.', 'this folder'],
    ['..', 'the folder above'],
    ['a/..', 'the folder above, in the end'],
    ['dir/', 'a folder'],
  ])('cannot be "%s": %s', async (name) => {
    const before = await uploads.kept();
    const answer = await sendNamed(`filename="${name}"`);
    expect(answer.status).toBe(400);
    expect(answer.json()).toEqual({ status: false, message: expect.any(String) });
    expect(await uploads.kept()).toEqual(before);
  });
});

describe('a displayed name', () => {
  const shownOf = async (filename: string) => {
    const { result } = (await sendNamed(filename)).json();
    const { pathname } = new URL(result.url_file);
    const { headers } = await uploads.send({ method: 'HEAD', path: pathname });
    const disposition = String(headers['content-disposition']);
    const extended = /filename\*=UTF-8''(\S+)$/u.exec(disposition)?.[1];
    const plain = /filename=(?:"(.*)"|(\S+))$/u.exec(disposition);
    const page = await uploads.send({ path: new URL(result.url).pathname });
    const shown = extended ? decodeURIComponent(extended) : (plain?.[1] ?? plain?.[2] ?? '');
    return { disposition, shown, page: page.text };
  };

  test('is NFC, without bidi and zero-width characters', async () => {
    const { shown, page } = await shownOf("filename*=UTF-8''e%CC%81%E2%80%AEtxt%E2%80%8B%EF%BB%BF.exe");
    expect(shown).toBe('\u00e9txt.exe');
    expect(page).toContain('\u00e9txt.exe');
    expect(page).not.toMatch(/[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u);
  });

  test('is well-formed, and its header is ASCII', async () => {
    const { shown, disposition } = await shownOf("filename*=utf-16le''%00%d8%61%00");
    expect(shown).toBe('\ufffda');
    expect(disposition).toMatch(/^[\x20-\x7e]+$/u);
  });

  test('has at most 255 bytes and keeps its extension', async () => {
    const { shown } = await shownOf(`filename="${'写'.repeat(4_996)}.txt"`);
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(255);
    expect(shown).toMatch(/^写{80,}\.txt$/u);
  });

  test('is replaced when none of its characters is visible', async () => {
    expect((await shownOf("filename*=UTF-8''%E2%80%8B%20%E2%80%AE")).shown).toMatch(/^\w+$/u);
  });
});
