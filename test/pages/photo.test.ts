import { crc32 } from 'node:zlib';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, openUploadSite } from '../support/browser.ts';
import { openOnce } from '../support/until-end.ts';

const XMP = Buffer.from('<x:xmpmeta exif:GPSLatitude="6,10.5S" exif:GPSLongitude="106,49.6E"/>');
/** The tag of what GPS says, and how it begins. */
const PLACES = [XMP.subarray(0, 10), Buffer.from('S\0\0\0GPS')];
const [WIDTH, HEIGHT] = [40, 20];
/** Turned by a quarter: such a picture is shown as high as it is wide. */
const TURNED = 6;

const u16 = (value: number) => Buffer.from([value >> 8, value & 255]);
const u32 = (value: number) => Buffer.concat([u16(value >>> 16), u16(value & 0xffff)]);
const little = (value: number) => u32(value).reverse();

/** Exif with an orientation, and, where it has a place, a directory of GPS. */
function exif(orientation: number, hasPlace: boolean): Buffer {
  const entries = [Buffer.concat([u16(0x0112), u16(3), u32(1), u16(orientation), u16(0)])];
  if (hasPlace) entries.push(Buffer.concat([u16(0x8825), u16(4), u32(1), u32(38)]));
  const gps = Buffer.concat([u16(1), u16(1), u16(2), u32(2), PLACES[1]!, u32(0)]);
  const directory = [u16(entries.length), ...entries, u32(0)];
  return Buffer.concat([Buffer.from('MM\0*'), u32(8), ...directory, ...(hasPlace ? [gps] : [])]);
}

function segment(marker: number, ...data: (string | Buffer)[]): Buffer {
  const bytes = Buffer.concat(data.map((one) => Buffer.from(one as string, 'latin1')));
  return Buffer.concat([Buffer.from([0xff, marker]), u16(bytes.length + 2), bytes]);
}

function pngChunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), data]);
  return Buffer.concat([u32(data.length), named, u32(crc32(named))]);
}

function riffChunk(name: string, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from(name), little(data.length), data, Buffer.alloc(data.length % 2)]);
}

const riff = (...chunks: Buffer[]) => riffChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));

/** What a WebP with Exif and XMP, by those flags, begins with. */
const vp8x = (flags: number) =>
  riffChunk('VP8X', Buffer.from([flags, 0, 0, 0, WIDTH - 1, 0, 0, HEIGHT - 1, 0, 0]));

/** A picture of each type: as a camera makes it, and as it is sent. */
const PICTURES: Record<string, (plain: Buffer) => { taken: Buffer; sent: Buffer }> = {
  'image/jpeg': (plain) => {
    const begin = plain.subarray(0, 2);
    const xmp = segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0', XMP);
    const photo = [segment(0xe1, 'Exif\0\0', exif(TURNED, true)), xmp, plain.subarray(2)];
    const film = Buffer.from('\0\0\0\x18ftypmp42 the film of a motion photo');
    return {
      taken: Buffer.concat([begin, ...photo, film]),
      sent: Buffer.concat([begin, segment(0xe1, 'Exif\0\0', exif(TURNED, false)), plain.subarray(2), film]),
    };
  },
  'image/png': (plain) => {
    const [header, data] = [plain.subarray(0, 33), plain.subarray(33)];
    const xmp = pngChunk('iTXt', Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\0\0\0\0'), XMP]));
    return {
      taken: Buffer.concat([header, pngChunk('eXIf', exif(TURNED, true)), xmp, data]),
      sent: Buffer.concat([header, pngChunk('eXIf', exif(TURNED, false)), data]),
    };
  },
  'image/webp': (plain) => {
    const data = plain.subarray(plain.indexOf('VP8 '));
    return {
      taken: riff(vp8x(0x0c), data, riffChunk('EXIF', exif(TURNED, true)), riffChunk('XMP ', XMP)),
      sent: riff(vp8x(0x08), data, riffChunk('EXIF', exif(TURNED, false))),
    };
  },
};

describeInBrowser('the place of a photo', (browser) => {
  const site = openOnce((defer) => openUploadSite(defer));

  async function draw(type: string): Promise<Buffer> {
    await browser.page.goto(site.origin);
    const address = await browser.page.evaluate<string>(`(() => {
      const canvas = Object.assign(document.createElement('canvas'), { width: ${WIDTH}, height: ${HEIGHT} });
      const context = canvas.getContext('2d');
      for (const [colour, ...box] of [['white', 0, 0, ${WIDTH}, ${HEIGHT}], ['teal', 3, 4, 20, 7]]) {
        context.fillStyle = colour;
        context.fillRect(...box);
      }
      return canvas.toDataURL('${type}');
    })()`);
    expect(address).toContain(type);
    return Buffer.from(address.split(',')[1]!, 'base64');
  }

  /** Uploads a file in the drop zone; its bytes as they came, and the address of its page. */
  async function upload(page: Page, buffer: Buffer, mimeType: string, keepsPlace: boolean) {
    await page.goto(site.origin);
    await page.evaluate('localStorage.clear()');
    await page.reload();
    const place = page.getByLabel('Remove the place');
    expect(await place.isChecked()).toBe(true);
    if (keepsPlace) await place.uncheck();
    await page.setInputFiles('#file', { name: 'foto', mimeType, buffer });
    await page.locator('.done:visible').first().waitFor();
    const row = page.getByRole('listitem').first();
    const direct = await row.locator('a.direct').textContent();
    const came = Buffer.from(await (await fetch(direct!)).arrayBuffer());
    return { came, address: (await row.locator('a.page').textContent())! };
  }

  test.each(Object.keys(PICTURES))('is cut out of %s, and nothing else, before it is sent', async (type) => {
    const { page } = browser;
    const { taken, sent } = PICTURES[type]!(await draw(type));
    for (const place of PLACES) expect(taken.includes(place)).toBe(true);
    const { came, address } = await upload(page, taken, type, false);
    expect(came).toEqual(sent);
    for (const place of PLACES) expect(came.includes(place)).toBe(false);
    await page.goto(address);
    const height = () => page.evaluate(`document.querySelector('a.picture > img').naturalHeight`);
    // Chromium turns no WebP.
    await expect.poll(height).toBe(type === 'image/webp' ? HEIGHT : WIDTH);
  });

  test('stays where the switch is off', async () => {
    const { taken } = PICTURES['image/jpeg']!(await draw('image/jpeg'));
    expect((await upload(browser.page, taken, 'image/jpeg', true)).came).toEqual(taken);
  });

  test('is cut out of the picture that follows a picture, too; what has none is sent as it is', async () => {
    const plain = await draw('image/jpeg');
    const { taken, sent } = PICTURES['image/jpeg']!(plain);
    for (const [chosen, expected] of [
      [Buffer.concat([plain, taken]), Buffer.concat([plain, sent])],
      [Buffer.concat([plain, Buffer.from('a film')]), Buffer.concat([plain, Buffer.from('a film')])],
    ] as const)
      expect((await upload(browser.page, chosen, 'image/jpeg', false)).came).toEqual(expected);
  });
});
