import { gradeCard } from './grade-card.ts';
import { gradeSchedule } from './grade-schedule.ts';
import { findSeenPlaces } from './places.ts';
import type { Reading } from './reading.ts';
import type { OwnPageAnswer, Statement } from './statement.ts';
import {
  type Beliefs,
  indexWitnesses,
  type OwnPageFacts,
  type OwnPages,
  type Witnesses,
} from './witnesses.ts';

/**
 * The one place with rules about the site: it grades each statement of a reading against the belief. `needs.ts` says
 * when a grade becomes true.
 */

/** Grades the statements of a reading that differ from the belief. Page 1 alone proves nothing about anime that it lacks. */
export function gradeReading(
  reading: Reading,
  beliefs: Beliefs,
  { isPeek, ownPages = new Map() }: { isPeek: boolean; ownPages?: OwnPages },
): Statement[] {
  const witnesses = indexWitnesses(reading, beliefs, { isPeek, ownPages });
  const shown = [...reading.list.values()].flatMap((one) => gradeCard(one, witnesses));
  const entries = gradeSchedule(witnesses);
  return [...shown, ...(isPeek ? [] : gradeMissing(witnesses)), ...entries];
}

/** The anime that the list does not show. */
function gradeMissing({ reading, known, knownDays, beliefs, ownPages }: Witnesses): Statement[] {
  const before = [...known.values()];
  const hasLeftSchedule = (slug: string) => knownDays.has(slug) && !reading.week.has(slug);
  const isSeen = findSeenPlaces(reading, before, beliefs.memory.seen, hasLeftSchedule);
  return before.flatMap(({ slug, title }): Statement[] => {
    if (reading.list.has(slug)) return [];
    const isScheduled = (reading.week.get(slug)?.days.length ?? 0) > 0;
    const grade = !isScheduled && isSeen(slug) ? 'small' : 'silent';
    return [
      {
        part: 'list',
        aspect: 'listed',
        slug,
        title,
        grade,
        value: 'gone',
        fields: ['gone'],
        found: '',
        known: title,
        asks: grade === 'silent',
        ownPage: presenceOf(ownPages.get(slug)),
      },
    ];
  });
}

function presenceOf(page: OwnPageFacts | 'gone' | undefined): OwnPageAnswer | undefined {
  if (page === undefined || page === 'gone') return page;
  return page.hasEnded ? 'ended' : 'denies';
}
