import type { Listing } from '../domain/listing.ts';
import {
  type Card,
  type CardFault,
  isUnreadable,
  type OngoingPage,
  type SchedulePage,
} from '../source/source.ts';
import { areSimilar, titleKey } from './compare-titles.ts';
import type { Corrections } from './corrections.ts';
import { type Evidence, gatherEvidence, type ReadPages } from './evidence.ts';
import { judgeCard } from './judge-card.ts';
import { judgeEntry } from './judge-entry.ts';

/** How many known anime may get another title at once. */
const MAX_NEW_TITLES = 2;

/**
 * The same pages, with a card that contradicts the others or the last good listing in the form of one that cannot be
 * read: its last good record is kept, and too many of them are refused.
 */
export function markContradictions<Read extends ReadPages>(
  read: Read,
  lastGood: Listing | undefined,
  corrections: Corrections,
): Read {
  const evidence = gatherEvidence(read, lastGood);
  const renamed = findRenamed(evidence);
  corrections.markCompared();

  function markList(page: OngoingPage): OngoingPage {
    const cards = page.cards.map((card, index) => {
      if (isUnreadable(card)) return card;
      const listed = { anime: card, alt: page.alts[index] ?? '' };
      const fault = judgeCard(listed, evidence, corrections) ?? judgeRenamed(card);
      return fault ? unreadable(card, index, fault) : card;
    });
    return { ...page, cards };
  }

  function judgeRenamed({ slug, title }: { slug: string; title: string }): CardFault | undefined {
    if (!renamed.has(slug) || corrections.hasLasted(slug, 'title', titleKey(title))) return undefined;
    return { field: 'title', found: title, against: 'the last good list' };
  }

  function markSchedule(page: SchedulePage): SchedulePage {
    const groups = page.groups.map((group) => ({
      ...group,
      cards: group.cards.map((card, index) => {
        const fault = isUnreadable(card)
          ? undefined
          : judgeEntry(card, group.day ?? '', evidence, corrections);
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

/** Known anime with a title that is not theirs by spelling, when there are more of them than an editor corrects. */
function findRenamed({ listed, known }: Evidence): Set<string> {
  const renamed = [...listed.values()].filter(({ anime }) => {
    const before = known.get(anime.slug);
    return before && !areSimilar(titleKey(before.title), titleKey(anime.title));
  });
  return new Set(renamed.length > MAX_NEW_TITLES ? renamed.map(({ anime }) => anime.slug) : []);
}

function unreadable(card: Card<{ slug: string }>, index: number, fault: CardFault): Card<never> {
  return { card: index + 1, ...(card.slug && { slug: card.slug }), faults: [fault] };
}
