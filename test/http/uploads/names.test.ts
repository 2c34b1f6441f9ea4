import { describe, expect, test } from 'vitest';
import { multipart, openOnce, openUploads, part } from '../../support/upload-client.ts';

const uploads = openOnce(openUploads);

/** Uploads a file with exactly this parameter, for example `filename="a.txt"`. */
const sendNamed = (filename: string) => uploads.post(multipart(part(`form-data; name="file"; ${filename}`)));

async function nameOf(filename: string): Promise<string> {
  const { result } = (await sendNamed(filename)).json();
  return result.originalname;
}

/** A parameter of UTF-16 code units, little-endian, with each byte as %XX. */
function utf16(...units: number[]): string {
  const hex = units.flatMap((unit) => [unit & 0xff, unit >> 8]).map((byte) => byte.toString(16));
  return `filename*=utf-16le''${hex.map((byte) => `%${byte.padStart(2, '0')}`).join('')}`;
}

describe('originalname', () => {
  test.each([
    'jadwal minggu ini.txt',
    'アニメ 第十二話.mkv',
    'Прощай, оружие! №7.pdf',
    'ملف جديد.txt',
    'ไฟล์ใหม่.txt',
    '🌸👩‍👩‍👧 photo.png',
    "it's, (really) fine; = ok?.txt",
    '.profile',
    'no extension',
  ])('is unchanged: %s', async (name) => {
    expect(await nameOf(`filename="${name}"`)).toBe(name);
  });

  test.each(['a', '写'])('may have 5,000 characters like %s', async (character) => {
    const name = `${character.repeat(4_996)}.txt`;
    expect(await nameOf(`filename="${name}"`)).toBe(name);
  });

  test.each([
    [String.raw`a\"b.txt`, 'a"b.txt'],
    [String.raw`\"\"`, '""'],
    [String.raw`say \"50%\".txt`, 'say "50%".txt'],
    [String.raw`..\\dir\\x.txt`, 'x.txt'],
    ['a%22b.txt', 'a"b.txt'],
    ['a%0D%0Ab.txt', 'ab.txt'],
    ['a%0d%0ab%22.txt', 'ab".txt'],
    ['100%.txt', '100%.txt'],
    ['a%41%2F%2e%00%E5.txt', 'a%41%2F%2e%00%E5.txt'],
    ['%2522.txt', '%2522.txt'],
    ['../../x', 'x'],
    ['/etc/passwd', 'passwd'],
    [String.raw`C:\dir\x.txt`, 'x.txt'],
    [String.raw`C:\dir/y.txt`, 'y.txt'],
    ['C:/dir/z.txt', 'z.txt'],
    ['a\u0085b\u009fc.txt', 'abc.txt'],
    ['a\u0001b\u0007\u001b[31m\u007fc\td.txt', 'ab[31mcd.txt'],
    ['a\\"\u0002b\\\\\u0003c.txt', 'c.txt'],
  ])('of filename="%j" is %j', async (sent, name) => {
    expect(await nameOf(`filename="${sent}"`)).toBe(name);
  });

  test.each([
    ["filename*=UTF-8''%E5%86%99%E7%9C%9F.png", '写真.png'],
    ['filename="x.png"; filename*=UTF-8\'\'y%20z.png', 'y z.png'],
    ["filename*=UTF-8''..%2F..%2Fetc%2Fpasswd", 'passwd'],
    ["filename*=UTF-8''a%00b%07%1b%7Fc.txt", 'abc.txt'],
    ["filename*=UTF-8''a%E2%80%AEtxt.exe", 'a\u202etxt.exe'],
    ["filename*=UTF-8''%C3%A9%CC%81.txt", '\u00e9\u0301.txt'],
    [utf16(0xd800, 0x61, 0xdc00, 0x2e, 0x74), '\ufffda\ufffd.t'],
    [utf16(0xd83c, 0xdf38), '🌸'],
    ['filename=plain.txt', 'plain.txt'],
  ])('of %s is %j', async (filename, name) => {
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
    const { shown, disposition } = await shownOf(utf16(0xd800, 0x61));
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
