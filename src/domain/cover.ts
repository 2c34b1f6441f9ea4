/** A size in pixels. */
export interface PictureSize {
  width: number;
  height: number;
}

/** The cover of an anime that is kept here. */
export interface Cover {
  /** The same for the same bytes. */
  hash: string;
  /** For pages, in WebP. */
  small: PictureSize;
  /** For everybody else, in JPEG. */
  large: PictureSize;
  /** When these bytes came, ms since 1970. */
  keptAt: number;
}

/** By the slug of their anime. */
export type Covers = Readonly<Record<string, Cover>>;

/** How many covers are kept, how many were never tried, and of how many the last try failed, which may have an older one. */
export interface CoverCount {
  known: number;
  missing: number;
  failed: number;
}

/** The path of a cover's address, at every process that shares the store. */
export function coverPath(slug: string, { hash }: Pick<Cover, 'hash'>, extension: 'webp' | 'jpg'): string {
  return `/covers/${slug}-${hash}.${extension}`;
}
