import { bySlug, type Listing, type OngoingAnime } from '../../domain/listing.ts';
import { isReadable, type OngoingPage, refuse } from '../../source/source.ts';
import type { Corrections } from './corrections.ts';
import { countCovers, type ReadPages } from './crawl-index.ts';

/** Checks that a list as a whole is not older than the last good one. Each throws AppError `source-changed`. */

/** Changes on up to two known anime, or up to a tenth of them, may be corrections of an editor. */
const MAX_CORRECTED = 2;
const MAX_SHARE = 1 / 10;
/** An anime gets an episode a week. More new ones than this, on many anime, mean that the number is not the episode. */
const MAX_STEP = 20;
/** On a list with at least this many cards, more than half of them cannot have the same cover. */
const MIN_CARDS = 10;
/** The ongoing list has at least this share of the scheduled anime; all of them when both pages are current. */
const MIN_SCHEDULED = 1 / 4;

/** Refuses a page with an older episode of an anime than a page read before it: it comes from a stale cache. */
export function checkSameAge({ pages, firstAgain }: ReadPages): void {
  const seen = new Map<string, { anime: OngoingAnime; page: number }>();
  for (const page of [...pages, firstAgain]) {
    for (const anime of page.cards.filter(isReadable)) {
      const earlier = seen.get(anime.slug);
      if (earlier && earlier.anime.title === anime.title && earlier.anime.episode > anime.episode) {
        refuse(
          `page ${page.number} of the ongoing list is older than page ${earlier.page} before it: it has episode ${anime.episode} of "${anime.title}", not ${earlier.anime.episode}`,
        );
      }
      if (!earlier) seen.set(anime.slug, { anime, page: page.number });
    }
  }
}

/** Refuses a schedule and an ongoing list that share too few anime to be of one site; either may be a stale page. */
export function checkSharedAnime({ schedule, pages, firstAgain }: ReadPages): void {
  const listed = new Set([firstAgain, ...pages].flatMap((page) => page.cards.map((card) => card.slug)));
  const slugs = schedule.groups.flatMap((group) => group.cards.flatMap((card) => card.slug ?? []));
  const scheduled = new Set(slugs);
  const shared = [...scheduled].filter((slug) => listed.has(slug)).length;
  if (shared >= scheduled.size * MIN_SCHEDULED) return;
  refuse(`the ongoing list has ${shared} of the ${scheduled.size} anime of the schedule`);
}

/** Compares a list with the last good one. A few anime that fall back are accepted once enough crawls confirm it. */
export function checkProgress(
  pages: readonly OngoingPage[],
  lastGood: Listing,
  corrections: Corrections,
): void {
  const listed = pages.flatMap((page) => page.cards.filter(isReadable));
  const ongoing = [...bySlug(listed).values()];
  const known = bySlug(lastGood.ongoing);
  const pairs = ongoing.flatMap((now) => {
    const before = known.get(now.slug);
    return before ? [{ now, before }] : [];
  });

  const isMany = (count: number) => count > Math.max(MAX_CORRECTED, pairs.length * MAX_SHARE);
  const lowered = pairs.flatMap(({ now, before }) => (now.episode < before.episode ? [now] : []));
  const unconfirmed = lowered.filter(
    ({ slug, episode }) => !corrections.confirm(slug, 'episode', `${episode}`),
  );
  if (isMany(lowered.length) || unconfirmed.length > MAX_CORRECTED) {
    refuse(
      `the ongoing list has fallen back: ${lowered.length} of ${pairs.length} known anime have a lower episode than in the last good list`,
    );
  }
  const leaping = pairs.filter(({ now, before }) => now.episode > before.episode + MAX_STEP);
  if (isMany(leaping.length)) {
    refuse(
      `${leaping.length} of ${pairs.length} known anime have more than ${MAX_STEP} new episodes, for instance ${leaping[0]?.now.episode} of "${leaping[0]?.now.title}", not ${leaping[0]?.before.episode}`,
    );
  }
  const redated = pairs.filter(
    ({ now, before }) => now.episode === before.episode && now.date !== before.date,
  );
  if (isMany(redated.length)) {
    refuse(
      `${redated.length} of ${pairs.length} known anime have another date with the same episode, for instance "${redated[0]?.now.date}", not "${redated[0]?.before.date}"`,
    );
  }
  checkCovers(ongoing, lastGood.ongoing);
}

/** Refuses a list on which a placeholder has replaced most covers. */
function checkCovers(ongoing: readonly OngoingAnime[], before: readonly OngoingAnime[]): void {
  const most = countCommonest(ongoing);
  if (ongoing.length < MIN_CARDS || most <= ongoing.length / 2) return;
  if (countCommonest(before) > before.length / 2) return;
  refuse(`the same cover is on ${most} of ${ongoing.length} cards`);
}

function countCommonest(anime: readonly OngoingAnime[]): number {
  return Math.max(0, ...countCovers(anime).values());
}
