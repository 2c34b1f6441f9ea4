import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { DecoderAbsent, openDecoder } from '../../../src/crawler/covers/decoder.ts';
import { drawCover } from '../../../src/demo/cover.ts';
import { temporaryFolder } from '../../support/service.ts';

const WIDTH = 600;
const HEIGHT = 850;
const decoder = openDecoder();
/** The same picture in each format that is read. */
const files: Record<string, Buffer> = {};

beforeAll(async () => {
  const picture = sharp(drawCover('/a.jpg')).resize(WIDTH, HEIGHT, { fit: 'fill' });
  for (const format of ['jpeg', 'png', 'webp', 'avif', 'gif'] as const)
    files[format] = await picture.clone().toFormat(format).toBuffer();
  files['progressive jpeg'] = await picture.clone().jpeg({ progressive: true }).toBuffer();
  files['cmyk jpeg'] = await picture.clone().toColourspace('cmyk').jpeg().toBuffer();
});

afterAll(() => decoder.close());

/** A picture of a size, whose file is small. */
const plain = (width: number, height: number, format: 'png' | 'jpeg' = 'png') =>
  sharp({ create: { width, height, channels: 3, background: '#7a3' }, limitInputPixels: false })
    .toFormat(format)
    .toBuffer();

/** A PNG whose header names another size. */
function claim(width: number, height: number): Buffer {
  const png = Buffer.from(files.png!);
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
  return png;
}

test.each(['jpeg', 'png', 'webp', 'avif', 'gif', 'progressive jpeg', 'cmyk jpeg'])(
  'a cover in %s becomes one in WebP and one in JPEG, the same each time',
  async (format) => {
    const { small, large, hash } = await decoder.decode(files[format]!);
    expect(await sharp(small.bytes).metadata()).toMatchObject({ format: 'webp', width: 160, height: 227 });
    expect(await sharp(large.bytes).metadata()).toMatchObject({ format: 'jpeg', width: 480, height: 680 });
    expect([small.width, small.height, large.width, large.height]).toEqual([160, 227, 480, 680]);
    expect(hash).toMatch(/^[0-9a-f]{16}$/u);
    expect((await decoder.decode(files[format]!)).hash).toBe(hash);
  },
);

test('the first frame is shown of an animation', async () => {
  const frames = ['#f00', '#00f'].map((background) =>
    sharp({ create: { width: 40, height: 60, channels: 3, background } })
      .png()
      .toBuffer(),
  );
  const animation = await sharp(await Promise.all(frames), { join: { animated: true } })
    .gif()
    .toBuffer();
  const { large } = await decoder.decode(animation);
  const { dominant } = await sharp(large.bytes).stats();
  expect([large.width, large.height, dominant.r > 200, dominant.b < 50]).toEqual([40, 60, true, true]);
});

test('a small cover is not enlarged, a long one keeps its shape, and transparency is white', async () => {
  expect(await decoder.decode(await plain(30, 40))).toMatchObject({
    small: { width: 30, height: 40 },
    large: { width: 30, height: 40 },
  });
  expect(await decoder.decode(await plain(200, 3_000))).toMatchObject({
    large: { width: 96, height: 1_440 },
  });
  const clear = { create: { width: 9, height: 9, channels: 4, background: '#0000' } } as const;
  const { small } = await decoder.decode(await sharp(clear).png().toBuffer());
  expect((await sharp(small.bytes).stats()).channels.map(({ mean }) => Math.round(mean))).toEqual([
    255, 255, 255,
  ]);
});

test('a cover is upright, and does not say where or with what it was taken', async () => {
  const place = { IFD3: { GPSLatitude: '6/1 12/1 0/1', GPSLatitudeRef: 'S' }, IFD0: { Model: 'Kamera' } };
  const picture = await sharp(await plain(80, 40, 'jpeg'))
    .withExif(place)
    .withMetadata({ orientation: 6 })
    .toBuffer();
  expect((await sharp(picture).metadata()).exif?.includes('Kamera')).toBe(true);
  const { small, large } = await decoder.decode(picture);
  for (const { bytes, width, height } of [small, large]) {
    expect([width, height]).toEqual([40, 80]);
    const { exif, xmp, icc, orientation } = await sharp(bytes).metadata();
    expect([exif, xmp, icc, orientation]).toEqual([undefined, undefined, undefined, undefined]);
    expect(Buffer.from(bytes).includes('Kamera')).toBe(false);
  }
});

describe('what is refused costs itself alone:', () => {
  const refusal = {
    code: 'source-changed',
    message: expect.stringMatching(/^the picture cannot be decoded: /u),
  };

  test.each<[string, () => Buffer | Promise<Buffer>]>([
    ['nothing', () => Buffer.alloc(0)],
    ['a page', () => Buffer.from('<!doctype html><title>Just a moment...</title>')],
    ['SVG', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ['TIFF', () => sharp(files.png).tiff().toBuffer()],
    ['5 MB of zeros', () => Buffer.alloc(5 * 1024 * 1024)],
    ['a bomb of 400 million pixels', () => claim(20_000, 20_000)],
    [
      'a GIF that says to be huge',
      () => Buffer.concat([Buffer.from('GIF89a\xff\xff\xff\xff\0\0\0', 'latin1')]),
    ],
    ...['jpeg', 'progressive jpeg', 'png', 'webp', 'avif', 'gif'].flatMap((format) =>
      [0.5, 0.95].map((share): [string, () => Buffer] => [
        `a ${format} that ends at ${share * 100} %`,
        () => files[format]!.subarray(0, files[format]!.length * share),
      ]),
    ),
    ...readdirSync('fixtures/media').flatMap((name): [string, () => Buffer][] =>
      name.endsWith('.png') ? [] : [[name, () => readFileSync(`fixtures/media/${name}`)]],
    ),
  ])('%s', async (_what, make) => {
    await expect(decoder.decode(await make())).rejects.toMatchObject(refusal);
    expect(await decoder.decode(files.png!)).toMatchObject({ small: { width: 160 } });
  });

  test('a picture of more than 40 million pixels, whatever its file has', async () => {
    await expect(decoder.decode(claim(4_000, 10_001))).rejects.toThrow(/pixel limit/u);
    await expect(decoder.decode(claim(4_000, 10_000))).rejects.not.toThrow(/pixel limit/u);
  });

  test.each([
    ['that crashes the decoder', 'process.exit(3)', undefined, /its process has ended \(3\)/u],
    ['that keeps it busy', 'for (;;);', 100, /it takes longer than 100 ms/u],
  ])('a picture %s', async (_what, code, decodeMs, reason) => {
    const broken = await openFake(code, decodeMs);
    await expect(broken.decode(files.png!)).rejects.toThrow(reason);
    await expect(broken.decode(files.png!)).rejects.toThrow(reason);
  });
});

/** A decoder whose process runs this code for each picture. */
async function openFake(code: string, decodeMs?: number) {
  const folder = await temporaryFolder(onTestFinished);
  const file = path.join(folder, 'decode.mjs');
  await writeFile(file, `process.send({});\nprocess.on('message', () => { ${code} });\n`);
  const fake = openDecoder({ entry: pathToFileURL(file), ...(decodeMs && { decodeMs }) });
  onTestFinished(() => fake.close());
  return fake;
}

test('a machine without the library decodes nothing, and says so', async () => {
  const absent = openDecoder({ entry: new URL('no-such-file.ts', import.meta.url) });
  await expect(absent.decode(files.png!)).rejects.toThrow(DecoderAbsent);
});

test('a process that ended after a picture is replaced', async () => {
  const fake = await openFake(
    'process.send({ cover: { hash: String(process.pid) } }, () => process.exit())',
    2_000,
  );
  const { hash: pid } = await fake.decode(files.png!);
  await expect.poll(() => readdirSync('/proc').includes(pid)).toBe(false);
  expect((await fake.decode(files.png!)).hash).not.toBe(pid);
});

test('its process gets no setting and no secret, and ends with the decoder', async () => {
  const fake = await openFake(
    'process.send({ cover: { hash: JSON.stringify([process.pid, Object.keys(process.env)]) } })',
  );
  const [pid, names] = JSON.parse((await fake.decode(files.png!)).hash);
  expect(
    names.filter((name: string) => name !== 'NODE_CHANNEL_FD' && !name.startsWith('NODE_CHANNEL')),
  ).toEqual([]);
  fake.close();
  await expect.poll(() => readdirSync('/proc').includes(String(pid))).toBe(false);
});
