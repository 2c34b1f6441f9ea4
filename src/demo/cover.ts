import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

/** The size of the covers of the source. */
const WIDTH = 225;
const HEIGHT = 318;

/** Red, green and blue, from 0 to 255. */
type Colour = readonly number[];

/** Draws a cover as PNG: hills under a sky with a sun, in shapes and colours that follow from the path alone. */
export function drawCover(path: string): Buffer {
  const random = createHash('sha256').update(path).digest();
  /** A number from `from` to `to`. */
  const pick = (index: number, from: number, to: number) => from + ((random[index] ?? 0) / 255) * (to - from);
  const hue = pick(0, 0, 360);
  const top = toColour(hue, 0.6, 0.45);
  const bottom = toColour(hue + 50, 0.75, 0.75);
  const sun = { x: pick(1, 40, 185), y: pick(2, 50, 120), radius: pick(3, 18, 40) };
  const hills = [0, 1, 2].map((layer) => ({
    colour: toColour(hue + 40 + layer * 18, 0.45, 0.38 - layer * 0.11),
    tops: drawRidge(HEIGHT * (0.45 + layer * 0.17), {
      height: pick(4 + layer, 12, 34),
      length: pick(7 + layer, 60, 150),
      phase: pick(10 + layer, 0, 2 * Math.PI),
    }),
  }));
  const sunColour = toColour(hue + 60, 0.9, 0.88);

  return encodePng((y, paint) => {
    const share = y / HEIGHT;
    const sky = top.map((part, index) => part + ((bottom[index] ?? 0) - part) * share);
    for (let x = 0; x < WIDTH; x += 1) {
      const isSun = Math.hypot(x - sun.x, y - sun.y) < sun.radius;
      const hill = hills.findLast(({ tops }) => y > (tops[x] ?? 0));
      paint(x, hill?.colour ?? (isSun ? sunColour : sky));
    }
  });
}

/** The height at which a hill begins, for each column. */
function drawRidge(
  level: number,
  { height, length, phase }: { height: number; length: number; phase: number },
): number[] {
  return Array.from(
    { length: WIDTH },
    (_, x) => level + height * Math.sin((2 * Math.PI * x) / length + phase),
  );
}

/** Hue in degrees, saturation and lightness from 0 to 1. */
function toColour(hue: number, saturation: number, lightness: number): Colour {
  const strength = saturation * Math.min(lightness, 1 - lightness);
  const part = (offset: number) => {
    const at = (offset + hue / 30) % 12;
    return 255 * (lightness - strength * Math.max(-1, Math.min(at - 3, 9 - at, 1)));
  };
  return [part(0), part(8), part(4)];
}

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const BITS = 8;
const TRUE_COLOUR = 2;

/** Encodes a picture. `paintRow` paints each row. https://www.w3.org/TR/png-3/ */
function encodePng(paintRow: (y: number, paint: (x: number, colour: Colour) => void) => void): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  header.set([BITS, TRUE_COLOUR], 8);
  // Each row begins with the type of its filter: none.
  const rowBytes = 1 + 3 * WIDTH;
  const rows = Buffer.alloc(HEIGHT * rowBytes);
  for (let y = 0; y < HEIGHT; y += 1) paintRow(y, (x, colour) => rows.set(colour, y * rowBytes + 1 + 3 * x));
  const chunks = [encodeChunk('IHDR', header), encodeChunk('IDAT', deflateSync(rows)), encodeChunk('IEND')];
  return Buffer.concat([SIGNATURE, ...chunks]);
}

function encodeChunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  const check = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, check]);
}
