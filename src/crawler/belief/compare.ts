import {
  bySlug,
  isLaterDate,
  type Listing,
  listEntries,
  type OngoingAnime,
  type Snapshot,
} from '../../domain/listing.ts';
import type { CardFault } from '../../source/source.ts';
import { doubtCard, doubtEntry, isJump, otherIdentity, type Witnesses } from './doubts.ts';
import { type BeliefMemory, type Claim, countReading, lasts } from './memory.ts';
import type { Reading, Shown } from './reading.ts';

/** What a reading says of one anime against what is believed. */
export interface Difference {
  part: 'name' | 'list' | 'week';
  slug: string;
  title: string;
  /** What differs: fields of a record, `gone` or `days`. */
  fields: readonly string[];
  /** The value of the first field, and the believed one. */
  found?: string;
  known?: string;
  /** Present where the pages contradict themselves. */
  fault: CardFault | undefined;
  /** Whether the page that says so was built before the one that is believed. */
  isOld: boolean;
  claim: Claim;
  /** Whether it is a number that jumps, with a later date as news has: there may be any number of them. */
  isNews?: boolean;
}

export interface JudgeOptions {
  lastGood: (Listing & Partial<Pick<Snapshot, 'ledger'>>) | undefined;
  memory: BeliefMemory;
  /** Wall clock, ms since 1970. */
  now: number;
  /** Accepts what is pending. */
  force: boolean;
  /** Whether page 1 alone was read: it is no evidence for what has to last. */
  isPeek: boolean;
  /** The newest episodes on the pages of anime whose number jumps, by slug. */
  answers?: ReadonlyMap<string, number>;
}

/** Whether an episode is news: it is higher, and its date is later. */
function isNews(now: OngoingAnime, before: OngoingAnime): boolean {
  return now.episode > before.episode && isLaterDate(now.date, before.date);
}

/** The fields of a record that contradict the believed one. Its title and its cover are those that `holdNames` believes. */
function contradictionsOf(now: OngoingAnime, before: OngoingAnime): (keyof OngoingAnime)[] {
  const fields = ['day', ...(isNews(now, before) ? [] : (['episode', 'date'] as const))] as const;
  return fields.filter((field) => now[field] !== before[field]);
}

/**
 * The anime with another title or another cover. Until that has lasted, the reading gets the believed one in its place, and the
 * rest of the record does not wait for it. With both, it may be the card of another anime: it gets the whole believed record.
 */
function holdNames({ list }: Reading, { known }: Witnesses, options: JudgeOptions): Difference[] {
  const { memory, now } = options;
  return [...list.values()].flatMap((shown): Difference[] => {
    const { slug, anime, builtAt = Infinity } = shown;
    const before = known.get(slug);
    if (!anime || !before) return [];
    const [field, other] = otherIdentity(anime, before);
    if (!field) return [];
    const fields = [field, ...(other ? [other, ...contradictionsOf(anime, before)] : [])];
    const claim = countReading(memory.claims[`name ${slug}`], anime.title + anime.image, now);
    const isOld = builtAt < (memory.seen[slug] ?? 0);
    if (!lasts({ claim, isOld }, options))
      shown.anime = other ? before : { ...anime, [field]: before[field] };
    const values = { found: anime[field], known: before[field] };
    const against = `the last good list, which has "${before[field]}"`;
    const fault = { field, found: anime[field], against };
    return [{ part: 'name', slug, title: anime.title, fields, ...values, fault, isOld, claim }];
  });
}

/** What the ongoing list says against the last good one. Page 1 alone does not show that an anime is gone. */
export function compareList(reading: Reading, witnesses: Witnesses, options: JudgeOptions): Difference[] {
  const { memory, now, answers, isPeek } = options;
  const { known } = witnesses;
  const names = holdNames(reading, witnesses, options);
  const judged = new Set(names.flatMap(({ slug, fields }) => (fields.length > 1 ? slug : [])));
  const shown = [...reading.list.values()].flatMap(({ slug, anime, builtAt = Infinity }): Difference[] => {
    if (!anime || judged.has(slug)) return [];
    const before = known.get(slug);
    const fault = doubtCard(anime, witnesses);
    const isOld = builtAt < (memory.seen[slug] ?? 0);
    const different = before ? contradictionsOf(anime, before) : isOld ? ['title' as const] : [];
    const fields = different.length > 0 || !fault ? different : [fault.field];
    const [field] = fields as (keyof OngoingAnime)[];
    if (!field) return [];
    const shown = JSON.stringify([...different.map((one) => anime[one]), fault?.found]);
    const counted = countReading(memory.claims[`list ${slug}`], shown, now);
    const answer = answers?.get(slug);
    const hasJumped = fault?.field === 'episode' && isJump(anime, witnesses);
    const claim = {
      ...counted,
      isJump: hasJumped,
      ...(answer !== undefined && { askedAt: now, isDenied: answer !== anime.episode }),
    };
    const values = { found: `${anime[field]}`, known: `${before?.[field] ?? ''}` };
    const isNews = hasJumped && different.length === 0;
    return [{ part: 'list', slug, title: anime.title, fields, ...values, fault, isOld, isNews, claim }];
  });
  return [...names, ...shown, ...(isPeek ? [] : listGone(reading, witnesses, memory, now))];
}

/**
 * What is new on top pushes the others down, from one page to the next. Where the next one is older, those that were pushed
 * are on neither, so that they are missing says little. An anime on two pages shows that these are of different times.
 */
function listGone(
  { list, overlaps, builtAt = Infinity, pageSize }: Reading,
  { known }: Witnesses,
  { claims, seen }: BeliefMemory,
  now: number,
): Difference[] {
  const isSame = ({ slug, anime }: Shown) => known.get(slug)?.date === anime?.date;
  const onTop = Math.max(0, [...list.values()].slice(0, pageSize).findIndex(isSame));
  const before = overlaps > 0 ? pageSize : Object.values(seen).filter((at) => at > builtAt).length;
  return [...known.values()].flatMap(({ slug, title }, index): Difference[] => {
    if (list.has(slug)) return [];
    const place = index % pageSize;
    const isOld = place < before || place >= pageSize - onTop;
    const claim = countReading(claims[`list ${slug}`], 'gone', now);
    return [{ part: 'list', slug, title, fields: ['gone'], fault: undefined, isOld, claim }];
  });
}

/** What the schedule says against the last good one. */
export function compareWeek(
  { week }: Reading,
  witnesses: Witnesses,
  { lastGood, memory, now }: JudgeOptions,
): Difference[] {
  const titles = bySlug(listEntries(lastGood?.schedule ?? []));
  return [...new Set([...week.keys(), ...titles.keys()])].flatMap((slug): Difference[] => {
    const entry = week.get(slug);
    const before = titles.get(slug);
    if (entry?.days.length === 0) return [];
    const fault = entry && doubtEntry(entry, before, witnesses);
    const days = witnesses.knownDays.get(slug)?.join() ?? '';
    const isMoved = before && entry?.days.join() !== days;
    const isRenamed = before && entry && entry.title !== before.title;
    const different = [...(isMoved ? [entry ? 'day' : 'gone'] : []), ...(isRenamed ? ['title'] : [])];
    const fields = different.length > 0 || !fault || before ? different : [fault.field];
    if (fields.length === 0) return [];
    const values = isMoved
      ? { found: entry?.days.join() ?? '', known: days }
      : { found: entry?.title ?? '', known: before?.title ?? '' };
    const shown = entry ? JSON.stringify([entry.title, entry.days]) : 'gone';
    const claim = countReading(memory.claims[`week ${slug}`], shown, now);
    const title = entry?.title ?? before?.title ?? slug;
    return [{ part: 'week', slug, title, fields, ...values, fault, isOld: false, claim }];
  });
}
