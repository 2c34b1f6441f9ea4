import { type Cover, type Covers, coverPath } from '../domain/cover.ts';

/** The address of our cover of an anime, by its slug or a former one; undefined where none is kept. */
export type CoverAddress = (slug: string) => string | undefined;

/** The covers that are kept, as an edition shows them. */
export interface OwnCovers {
  find(slug: string): Cover | undefined;
  /** Absolute, for everybody but our pages. */
  addressOf: CoverAddress;
  /** When the newest cover of some anime came, ms since 1970; 0 where none is kept. */
  changedAt(anime: readonly { slug: string }[]): number;
}

/** `renamed`: the current slugs, by former ones. `url`: public origin. */
export function createOwnCovers(
  covers: Covers,
  renamed: ReadonlyMap<string, string>,
  url: string,
): OwnCovers {
  const current = (slug: string) => renamed.get(slug) ?? slug;
  const find = (slug: string) => covers[current(slug)];
  return {
    find,
    addressOf(slug) {
      const cover = find(slug);
      return cover && url + coverPath(current(slug), cover, 'jpg');
    },
    changedAt: (anime) => Math.max(0, ...anime.map(({ slug }) => find(slug)?.keptAt ?? 0)),
  };
}
