import { crc32, deflateSync } from 'node:zlib';

/** Small generated files of types that a browser shows. */

/** About a second of silence: frame headers of MPEG-1 layer III, 128 kbit/s, 44.1 kHz. */
export const MP3 = Buffer.concat(
  Array(40).fill(Buffer.concat([Buffer.of(0xff, 0xfb, 0x90, 0x00), Buffer.alloc(413)])),
);

/** A quarter of a second of silence: RIFF, PCM, 8 kHz, 16 bit. */
export const WAV = wavOf(Buffer.alloc(4_000));

/** The header of a WebM without a frame: it is detected, but has nothing to play. */
export const WEBM = Buffer.from(
  '1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878102428581021853806701ffffffffffffff',
  'hex',
);

/** A picture of an evening, 320 by 160, without details that scalers render differently. */
export const PNG = pngOf(320, 160, (_x, y) => (y < 100 ? [90 + y, 60 + y, 120] : [40, 40, 100]));

function wavOf(samples: Buffer): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(16_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

type Colour = (x: number, y: number) => [red: number, green: number, blue: number];

function pngOf(width: number, height: number, colour: Colour): Buffer {
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.from([0, ...Array.from({ length: width }, (_, x) => colour(x, y)).flat()]),
  );
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
