import type { OngoingAnime } from '../domain/listing.ts';
import type { CardFault } from '../source/source.ts';
import { areSimilar, coverPath, sharesWord, titleKey } from './compare-titles.ts';
import type { Corrections } from './corrections.ts';
import { describeMove, type Evidence, type Listed, mayDaysDiffer, type Witness } from './evidence.ts';
import { mayBeCorrection } from './misplaced.ts';

/** An episode further from the last good one than this is a slip, until it has lasted. */
const MAX_EPISODES_AT_ONCE = 50;

/**
 * Says what of a card contradicts the rest of the pages or the last good list; undefined when nothing does. What is
 * only hard to believe is believed once it has lasted.
 */
export function judgeCard(card: Listed, evidence: Evidence, corrections: Corrections): CardFault | undefined {
  return (
    judgeIdentity(card, evidence, corrections) ??
    judgeDay(card, evidence, corrections) ??
    judgeEpisode(card, evidence, corrections)
  );
}

/** Whether the title, the cover and the address belong to one anime. */
function judgeIdentity(card: Listed, evidence: Evidence, corrections: Corrections): CardFault | undefined {
  const { title, slug, image } = card.anime;
  const key = titleKey(title);
  const before = evidence.known.get(slug);
  const isSameTitle = before !== undefined && titleKey(before.title) === key;
  const isSameCover = before !== undefined && coverPath(before.image) === coverPath(image);
  if (isSameTitle && isSameCover) return undefined;

  const [field, found] = isSameTitle ? ['image', image] : ['title', title];
  const witness = findOwner(slug, key, evidence);
  if (witness) return { field, found, against: witness.name };
  if (!isSameTitle) {
    const against = before ? doubtNewTitle(card, evidence) : doubtFirstTitle(card, evidence);
    const mayLast = mayBeCorrection(evidence.misplaced.titles);
    if (against && !(mayLast && corrections.hasLasted(slug, 'title', key)))
      return { field: 'title', found: title, against };
  }
  if (isSameCover || !hasForeignCover(card, evidence)) return undefined;
  const mayLast = mayBeCorrection(evidence.misplaced.covers);
  if (mayLast && corrections.hasLasted(slug, 'image', coverPath(image))) return undefined;
  return { field: 'image', found: image, against: "another anime's card" };
}

/** The witness on the pages that has this title for another anime, and another title for this one. */
function findOwner(slug: string, key: string, evidence: Evidence): Witness | undefined {
  const { alts, scheduled, slugs, files, titles } = evidence;
  const names = [alts, scheduled].find((one) => isElsewhere(one, slug, key));
  // Few addresses and files spell a title, so these two count only when they spell that of another card.
  const spells = (one: Witness) => titles.all.has(one.keys.get(slug) ?? '') && isElsewhere(one, slug, key);
  return names ?? [slugs, files].find(spells);
}

function isElsewhere({ keys, all }: Witness, slug: string, key: string): boolean {
  return (keys.get(slug) ?? key) !== key && all.has(key);
}

/** Another anime had it, or has it too while the text of this one's cover is about something else. */
function hasForeignCover({ anime, alt }: Listed, { misplaced, coverCounts }: Evidence): boolean {
  if (misplaced.covers.has(anime.slug)) return true;
  const isShared = (coverCounts.get(coverPath(anime.image)) ?? 0) > 1;
  return isShared && alt !== '' && !areSimilar(titleKey(alt), titleKey(anime.title));
}

/** A known anime gets another title: where the schedule has it, it has to agree, else the cover's text has to. */
function doubtNewTitle({ anime, alt }: Listed, evidence: Evidence): string | undefined {
  const { scheduled, known, knownTitles, misplaced } = evidence;
  const key = titleKey(anime.title);
  if (misplaced.titles.has(anime.slug)) return knownTitles.name;
  if (areSimilar(titleKey(known.get(anime.slug)?.title ?? ''), key)) return undefined;
  const other = scheduled.keys.get(anime.slug) ?? (alt && titleKey(alt));
  return other && areSimilar(other, key) ? undefined : 'the last good list';
}

/** A title that nobody knows yet. */
function doubtFirstTitle({ anime, alt }: Listed, { scheduled }: Evidence): string | undefined {
  const key = titleKey(anime.title);
  const isLikeAlt = alt !== '' && areSimilar(titleKey(alt), key);
  const said = scheduled.keys.get(anime.slug);
  if (isLikeAlt || (said && areSimilar(said, key))) return undefined;
  if (said) return scheduled.name;
  const altFits = sharesWord(anime.slug, alt) && !sharesWord(anime.slug, anime.title);
  return altFits ? "the cover's text" : undefined;
}

/** The schedule has another day for it, and so has the last good list. */
function judgeDay({ anime }: Listed, evidence: Evidence, corrections: Corrections): CardFault | undefined {
  const { slug, day } = anime;
  if (!evidence.otherDays.has(slug) || evidence.known.get(slug)?.day === day) return undefined;
  if (mayDaysDiffer(evidence) && corrections.hasLasted(slug, 'day', day)) return undefined;
  return { field: 'day', found: day, against: 'the schedule' };
}

function judgeEpisode({ anime }: Listed, evidence: Evidence, corrections: Corrections) {
  const { slug, episode } = anime;
  const before = evidence.known.get(slug);
  if (!before || !isOddEpisode(anime, before, evidence)) return undefined;
  if (corrections.hasLasted(slug, 'episode', `${episode}`)) return undefined;
  return {
    field: 'episode',
    found: `${episode}`,
    against: `the last good list, which has ${before.episode}`,
  };
}

/** It jumps; or it falls back together with its date, as in a stale copy; or another anime has exchanged its own with it. */
function isOddEpisode(now: OngoingAnime, before: OngoingAnime, evidence: Evidence): boolean {
  if (now.episode > before.episode + MAX_EPISODES_AT_ONCE) return true;
  if (now.episode < before.episode && now.date !== before.date) return true;
  const isChanged = now.episode !== before.episode;
  return isChanged && evidence.episodeMoves.has(describeMove(now.episode, before.episode));
}
