import type { Listing } from '../../domain/listing.ts';
import {
  type Card,
  type CardFault,
  isUnreadable,
  type OngoingPage,
  type SchedulePage,
} from '../../source/source.ts';
import { findCardFault } from './card-faults.ts';
import { areSimilar, titleKey } from './compare-titles.ts';
import type { Corrections } from './corrections.ts';
import { type CrawlIndex, indexCrawl, type ReadPages } from './crawl-index.ts';
import { findEntryFault } from './entry-faults.ts';

/** How many known anime may get another title at once. */
const MAX_NEW_TITLES = 2;

/**
 * Returns the same pages, with every card that contradicts the other pages or the last good listing marked unreadable.
 * The merge then keeps its last good record, and the guard refuses pages with too many of them.
 */
export function markContradictions<Read extends ReadPages>(
  read: Read,
  lastGood: Listing | undefined,
  corrections: Corrections,
): Read {
  const crawlIndex = indexCrawl(read, lastGood);
  const renamed = findRenamed(crawlIndex);
  corrections.markCompared();

  function markList(page: OngoingPage): OngoingPage {
    const cards = page.cards.map((card, index) => {
      if (isUnreadable(card)) return card;
      const listed = { anime: card, alt: page.alts[index] ?? '' };
      const fault = findCardFault(listed, crawlIndex, corrections) ?? findRenameFault(card);
      return fault ? unreadable(card, index, fault) : card;
    });
    return { ...page, cards };
  }

  function findRenameFault({ slug, title }: { slug: string; title: string }): CardFault | undefined {
    if (!renamed.has(slug) || corrections.confirm(slug, 'title', titleKey(title))) return undefined;
    return { field: 'title', found: title, against: 'the last good list' };
  }

  function markSchedule(page: SchedulePage): SchedulePage {
    const groups = page.groups.map((group) => ({
      ...group,
      cards: group.cards.map((card, index) => {
        const fault = isUnreadable(card)
          ? undefined
          : findEntryFault(card, group.day ?? '', crawlIndex, corrections);
        return fault ? unreadable(card, index, fault) : card;
      }),
    }));
    return { ...page, groups };
  }

  return {
    ...read,
    pages: read.pages.map(markList),
    firstAgain: markList(read.firstAgain),
    schedule: markSchedule(read.schedule),
  };
}

/** Finds the known anime with a new title, not just a new spelling, if they are more than an editor corrects at once. */
function findRenamed({ listed, known }: CrawlIndex): Set<string> {
  const renamed = [...listed.values()].filter(({ anime }) => {
    const before = known.get(anime.slug);
    return before && !areSimilar(titleKey(before.title), titleKey(anime.title));
  });
  return new Set(renamed.length > MAX_NEW_TITLES ? renamed.map(({ anime }) => anime.slug) : []);
}

function unreadable(card: Card<{ slug: string }>, index: number, fault: CardFault): Card<never> {
  return { card: index + 1, ...(card.slug && { slug: card.slug }), faults: [fault] };
}
