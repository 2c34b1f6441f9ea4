import { hash } from 'node:crypto';
import sharp from 'sharp';
import { drawCover } from '../../src/demo/cover.ts';
import type { Cover, Covers } from '../../src/domain/cover.ts';
import type { Snapshot } from '../../src/domain/snapshot.ts';
import type { ReadCover } from '../../src/http/listing/covers.ts';

/** The covers of a snapshot as the service keeps them, and what reads their files: they are drawn when they are asked for. */
export function keepDrawnCovers(
  { ongoing, left = {} }: Snapshot,
  keptAt: number,
): { covers: Covers; read: ReadCover } {
  const anime = [...ongoing, ...Object.values(left).map((one) => one.anime)];
  const paths = new Map(anime.map(({ image }) => [hash('sha256', image, 'hex').slice(0, 16), image]));
  const coverOf = (image: string): Cover => ({
    hash: hash('sha256', image, 'hex').slice(0, 16),
    small: { width: 160, height: 226 },
    large: { width: 225, height: 318 },
    keptAt,
  });
  return {
    covers: Object.fromEntries(anime.map(({ slug, image }) => [slug, coverOf(image)])),
    async read(name) {
      const [key = '', extension] = name.split('.');
      const path = paths.get(key);
      if (path === undefined) return null;
      // Without the port of the test's source: the same picture in every run.
      const picture = sharp(drawCover(new URL(path).pathname));
      return extension === 'jpg'
        ? picture.jpeg().toBuffer()
        : picture.resize({ width: 160 }).webp().toBuffer();
    },
  };
}
