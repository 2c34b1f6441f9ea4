import type { OngoingAnime } from '../../domain/listing.ts';
import { coverPath, titleKey } from './compare-titles.ts';

/** An editor confuses the titles, or the covers, of at most this many anime. */
const MAX_MISPLACED = 2;

/** Listed anime, by slug, that have what the last good list has for another one. */
export interface Misplaced {
  titles: ReadonlySet<string>;
  covers: ReadonlySet<string>;
}

/** A title or a cover is misplaced when it was another anime's. A cover that the other anime keeps is a shared one. */
export function findMisplaced(listed: readonly OngoingAnime[], lastGood: readonly OngoingAnime[]): Misplaced {
  const titles = new Map(lastGood.map(({ slug, title }) => [slug, titleKey(title)]));
  const allTitles = new Set(titles.values());
  const owners = ownersOf(lastGood);
  const covers = new Map(listed.map(({ slug, image }) => [slug, coverPath(image)]));

  const hasForeignTitle = ({ slug, title }: OngoingAnime) => {
    const key = titleKey(title);
    return (titles.get(slug) ?? key) !== key && allTitles.has(key);
  };
  const hasForeignCover = ({ slug, image }: OngoingAnime) => {
    const path = coverPath(image);
    const owner = owners.get(path) ?? slug;
    return (covers.get(owner) ?? path) !== path;
  };
  return {
    titles: new Set(listed.filter(hasForeignTitle).map(({ slug }) => slug)),
    covers: new Set(listed.filter(hasForeignCover).map(({ slug }) => slug)),
  };
}

/** Whether so few are misplaced that an editor may have corrected them; such a correction needs enough crawls. */
export function mayBeCorrection(misplaced: ReadonlySet<string>): boolean {
  return misplaced.size <= MAX_MISPLACED;
}

/** The anime that each cover belongs to; none where several share it. */
function ownersOf(anime: readonly OngoingAnime[]): Map<string, string | undefined> {
  const byCover = Map.groupBy(anime, ({ image }) => coverPath(image));
  return new Map([...byCover].map(([path, all]) => [path, all.length === 1 ? all[0]?.slug : undefined]));
}
