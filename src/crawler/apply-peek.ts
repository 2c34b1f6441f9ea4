import { isDeepStrictEqual } from 'node:util';
import { bySlug, type OngoingAnime } from '../domain/listing.ts';
import { isReadable, type OngoingPage } from '../source/source.ts';

/**
 * Updates the last good list with page 1 alone: page 1 comes first, then the other entries in their order. That is enough
 * when new and changed entries are on top, the others follow in their order, and the pager shows the number of pages of
 * the updated list. Returns undefined when it is not enough, so that a whole crawl is needed.
 *
 * The list is sorted by its last change. An entry of page 1 that is as it was therefore shows that everything new is
 * above it. A card that cannot be read keeps its last good record, or is left out.
 */
export function applyPeek(
  { cards, lastNumber }: Pick<OngoingPage, 'cards' | 'lastNumber'>,
  lastGood: readonly OngoingAnime[],
): OngoingAnime[] | undefined {
  const known = bySlug(lastGood);
  const read = cards.flatMap((card) => (isReadable(card) ? card : (known.get(card.slug ?? '') ?? [])));
  const page = [...bySlug(read.reverse()).values()].reverse();
  const isChanged = (anime: OngoingAnime) => !isDeepStrictEqual(known.get(anime.slug), anime);

  const changed = page.findLastIndex(isChanged) + 1;
  const top = new Set(page.slice(0, changed).map(({ slug }) => slug));
  const others = lastGood.filter(({ slug }) => !top.has(slug));
  const unchanged = page.slice(changed);
  const ongoing = [...page.slice(0, changed), ...others];

  const isOnTop = page.slice(0, changed).every(isChanged);
  const isInOrder = unchanged.every(({ slug }, index) => slug === others[index]?.slug);
  const isJoined = unchanged.length > 0 || others.length === 0;
  const pages = Math.ceil((ongoing.length + cards.length - page.length) / cards.length);
  return isOnTop && isInOrder && isJoined && pages === lastNumber ? ongoing : undefined;
}
