import { bySlug, isLaterDate, listEntries, type OngoingAnime } from '../../domain/listing.ts';
import type { CardFault } from '../../source/source.ts';
import type { JudgeOptions } from './compare.ts';
import type { Reading, Scheduled } from './reading.ts';
import { areSimilar, titleKey } from './titles.ts';

/** A larger step from the last good episode counts as a typing error until the page of the anime has it. */
const MAX_STEP = 2;
/** A lower number with a date that is later by more days than this is of an older page. */
const MAX_LATER_DAYS = 31;

/** What the pages and the last good listing say of each anime, by slug. */
export interface Witnesses {
  known: ReadonlyMap<string, OngoingAnime>;
  cards: ReadonlyMap<string, OngoingAnime>;
  week: ReadonlyMap<string, Scheduled>;
  /** The days of each anime in the last good schedule. */
  knownDays: ReadonlyMap<string, readonly string[]>;
  /** The anime of the last good list that a title or a cover belonged to. */
  owners: ReadonlyMap<string, string>;
  /** The texts of covers, which repeat the title. */
  alts: ReadonlyMap<string, string>;
  /** The anime whose believed episode is on their own page. */
  confirmed: ReadonlySet<string>;
  /** The changes of the episodes of known anime, as `describeMove` says them. */
  episodeMoves: ReadonlySet<string>;
}

export function indexWitnesses({ list, week }: Reading, lastGood: JudgeOptions['lastGood']): Witnesses {
  const before = lastGood?.ongoing ?? [];
  const known = bySlug(before);
  const shown = [...list.values()];
  const cards = bySlug(shown.flatMap(({ anime }) => anime ?? []));
  const moves = [...cards.values()].flatMap((one) => {
    const last = known.get(one.slug);
    return last ? [describeMove(last, one)] : [];
  });
  const alts = new Map(shown.flatMap(({ slug, alt }) => (alt ? [[slug, titleKey(alt)] as const] : [])));
  const isOnPage = ({ slug, episode }: OngoingAnime) =>
    lastGood?.ledger?.[slug]?.some((claim) => claim.episode === episode && claim.row !== undefined);
  const days = Map.groupBy(listEntries(lastGood?.schedule ?? []), ({ slug }) => slug);
  return {
    ...{ known, cards, week, alts, episodeMoves: new Set(moves) },
    confirmed: new Set(before.filter(isOnPage).map(({ slug }) => slug)),
    owners: new Map(
      before.flatMap((one) => Object.values(identityOf(one)).map((key) => [key, one.slug] as const)),
    ),
    knownDays: new Map([...days].map(([slug, own]) => [slug, own.map(({ day }) => day).sort()])),
  };
}

/** A cover as it is compared: without its host. */
function coverKey(image: string): string {
  return URL.parse(image)?.pathname ?? image;
}

/** What says which anime it is. */
function identityOf({ title, image }: OngoingAnime) {
  return { title: titleKey(title), image: coverKey(image) };
}

/** Which of its title and its cover differ from those of before. */
export function otherIdentity(anime: OngoingAnime, before: OngoingAnime): ('title' | 'image')[] {
  const isSame = {
    title: anime.title === before.title,
    image: coverKey(anime.image) === coverKey(before.image),
  };
  return (['title', 'image'] as const).filter((field) => !isSame[field]);
}

/** The first field of a card that is not believed at once, even where it is alone; undefined when all are. */
export function doubtCard(anime: OngoingAnime, witnesses: Witnesses): CardFault | undefined {
  const identity = witnesses.known.has(anime.slug) ? undefined : doubtNew(anime, witnesses);
  return identity ?? doubtDay(anime, witnesses) ?? doubtEpisode(anime, witnesses);
}

/** A new anime has a title and a cover of its own, where the pages say so: the schedule, else the text of the cover. */
function doubtNew(anime: OngoingAnime, witnesses: Witnesses): CardFault | undefined {
  const { alts, cards, owners, week } = witnesses;
  const { slug, title: found } = anime;
  const key = titleKey(found);
  const scheduled = week.get(slug)?.title;
  if (scheduled && !areSimilar(titleKey(scheduled), key))
    return { field: 'title', found, against: 'the schedule' };
  if (!scheduled && alts.has(slug) && alts.get(slug) !== key && alts.values().some((one) => one === key))
    return { field: 'title', found, against: "the cover's text" };
  const own = identityOf(anime);
  const field = (['title', 'image'] as const).find((one) => {
    const owner = cards.get(owners.get(own[one]) ?? '');
    return owner && !Object.values(identityOf(owner)).includes(own[one]);
  });
  return field && { field, found: anime[field], against: "another anime's card" };
}

/** The same of an entry of the schedule: a known one keeps its title, a new one has that of the list. */
export function doubtEntry(
  { slug, title, days }: Scheduled,
  before: { title: string } | undefined,
  { cards, known, knownDays }: Witnesses,
): CardFault | undefined {
  const card = cards.get(slug);
  const expected = before ?? (known.size > 0 ? card : undefined);
  const against = before ? 'the last good schedule' : 'the ongoing list';
  const isExpected = before
    ? before.title === title
    : areSimilar(titleKey(expected?.title ?? title), titleKey(title));
  if (!isExpected) return { field: 'title', found: title, against };
  const odd = days.find((day) => card !== undefined && !knownDays.get(slug)?.includes(day));
  if (odd === undefined || days.some((day) => day === card?.day)) return undefined;
  return { field: 'day', found: odd, against: 'the ongoing list' };
}

/** A day is in doubt when the schedule and the last good list both have another one. */
function doubtDay({ slug, day }: OngoingAnime, { week, known }: Witnesses): CardFault | undefined {
  const scheduled: readonly string[] = week.get(slug)?.days ?? [];
  if (scheduled.length === 0 || scheduled.includes(day) || known.get(slug)?.day === day) return undefined;
  return { field: 'day', found: day, against: 'the schedule' };
}

/**
 * Whether a number jumps, or falls with a later date or below that of the page of the anime, and was not exchanged with
 * another anime's.
 */
export function isJump(anime: OngoingAnime, { known, confirmed, episodeMoves }: Witnesses): boolean {
  const before = known.get(anime.slug);
  if (!before || episodeMoves.has(describeMove(anime, before))) return false;
  const isLater = isLaterDate(anime.date, before.date, MAX_LATER_DAYS);
  const isFall = anime.episode < before.episode && (isLater || confirmed.has(anime.slug));
  return isFall || anime.episode > before.episode + MAX_STEP;
}

/** Whether the episode jumps, falls back with its date as on a stale page, or was exchanged with another anime's. */
function doubtEpisode(anime: OngoingAnime, witnesses: Witnesses): CardFault | undefined {
  const { known, episodeMoves } = witnesses;
  const { slug, episode, date } = anime;
  const before = known.get(slug);
  if (!before || episode === before.episode) return undefined;
  const isOdd =
    isJump(anime, witnesses) ||
    (episode < before.episode && date !== before.date) ||
    episodeMoves.has(describeMove(anime, before));
  const against = `the last good list, which has ${before.episode}`;
  return isOdd ? { field: 'episode', found: `${episode}`, against } : undefined;
}

type Release = Pick<OngoingAnime, 'episode' | 'date'>;

/** `12 to 13`, with the dates where these change too: an exchange with another anime exchanges both or the episode alone. */
function describeMove(from: Release, to: Release): string {
  const dates = from.date === to.date ? '' : `, ${from.date} to ${to.date}`;
  return `${from.episode} to ${to.episode}${dates}`;
}
