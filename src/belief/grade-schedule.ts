import { bySlug, listEntries } from '../domain/listing.ts';
import type { CardFault } from '../source/source.ts';
import type { Scheduled } from './reading.ts';
import type { Field, Statement } from './statement.ts';
import { areSimilar, titleKey } from './titles.ts';
import type { Witnesses } from './witnesses.ts';

/** Grades the schedule. An existing entry keeps its title and its days; a new one takes them from the list. */
export function gradeSchedule(witnesses: Witnesses): Statement[] {
  const { reading, beliefs, knownDays } = witnesses;
  const entries = bySlug(listEntries(beliefs.lastGood?.schedule ?? []));
  const isStale = (reading.scheduleBuiltAt ?? Infinity) < (beliefs.memory.scheduleBuiltAt ?? 0);
  return [...new Set([...reading.week.keys(), ...entries.keys()])].flatMap((slug): Statement[] => {
    const entry = reading.week.get(slug);
    const before = entries.get(slug);
    if (entry?.days.length === 0) return [];
    const base = { part: 'schedule', slug, title: entry?.title ?? before?.title ?? slug } as const;
    if (!entry) {
      const days = knownDays.get(slug)?.join() ?? '';
      const gone = {
        ...base,
        aspect: 'listed',
        value: 'gone',
        fields: ['gone'],
        found: '',
        known: days,
      } as const;
      return [{ ...gone, grade: isStale ? 'stale' : 'small' }];
    }
    return before
      ? gradeEntry(base, entry, before, isStale, witnesses)
      : gradeNewEntry(base, entry, isStale, witnesses);
  });
}

type EntryBase = Pick<Statement, 'part' | 'slug' | 'title'>;

function gradeEntry(
  base: EntryBase,
  { title, days }: Scheduled,
  before: { title: string },
  isStale: boolean,
  { cards, knownDays }: Witnesses,
): Statement[] {
  const card = cards.get(base.slug);
  const own = knownDays.get(base.slug) ?? [];
  const statements: Statement[] = [];
  if (title !== before.title) {
    statements.push({
      ...base,
      aspect: 'name',
      grade: isStale ? 'stale' : 'odd',
      value: title,
      fields: ['title'],
      found: title,
      known: before.title,
      fault: { field: 'title', found: title, against: 'the last good schedule' },
    });
  }
  if (days.join() !== own.join()) {
    const odd = days.find((day) => card !== undefined && !own.includes(day));
    const isOdd = odd !== undefined && !days.some((day) => day === card?.day);
    statements.push({
      ...base,
      aspect: 'slot',
      grade: isStale ? 'stale' : isOdd ? 'odd' : 'small',
      value: days.join(),
      fields: ['day'],
      found: days.join(),
      known: own.join(),
      fault: isOdd ? { field: 'day', found: odd, against: 'the ongoing list' } : undefined,
    });
  }
  return statements;
}

function gradeNewEntry(
  base: EntryBase,
  { title, days }: Scheduled,
  isStale: boolean,
  { cards, known }: Witnesses,
): Statement[] {
  const card = cards.get(base.slug);
  const isOtherTitle = known.size > 0 && card && !areSimilar(titleKey(card.title), titleKey(title));
  const isOtherDay = card !== undefined && !days.some((day) => day === card.day);
  const against = 'the ongoing list';
  const fault: CardFault | undefined = isOtherTitle
    ? { field: 'title', found: title, against }
    : isOtherDay
      ? { field: 'day', found: days[0]!, against }
      : undefined;
  return [
    {
      ...base,
      aspect: 'listed',
      grade: isStale ? 'stale' : fault ? 'odd' : 'news',
      value: JSON.stringify([title, days]),
      fields: [(fault?.field as Field | undefined) ?? 'slug'],
      found: fault?.found ?? '',
      known: '',
      fault,
      isUsual: !fault,
    },
  ];
}
