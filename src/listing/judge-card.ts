import type { CardFault } from '../source/source.ts';
import { areSimilar, coverPath, sharesWord, titleKey } from './compare-titles.ts';
import type { Corrections } from './corrections.ts';
import type { Evidence, Listed, Witness } from './evidence.ts';

/** An episode further from the last good one than this is a slip, until it has lasted. */
const MAX_EPISODES_AT_ONCE = 50;

/**
 * Says what of a card contradicts the rest of the pages or the last good list; undefined when nothing does. What is
 * only hard to believe is believed once it has lasted.
 */
export function judgeCard(card: Listed, evidence: Evidence, corrections: Corrections): CardFault | undefined {
  return (
    judgeIdentity(card, evidence, corrections) ??
    judgeDay(card, evidence) ??
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
  const thief = findOwner(slug, key, evidence);
  if (thief) return { field, found, against: thief.name };
  if (!isSameCover && hasForeignCover(card, evidence))
    return { field: 'image', found: image, against: "another anime's card" };
  if (isSameTitle) return undefined;
  const against = before ? doubtNewTitle(card, evidence) : doubtFirstTitle(card, evidence);
  if (!against || corrections.hasLasted(slug, 'title', key)) return undefined;
  return { field: 'title', found: title, against };
}

/** The witness that has this title for another anime, and another title for this one. */
function findOwner(slug: string, key: string, evidence: Evidence): Witness | undefined {
  const { alts, scheduled, knownTitles, slugs, files, titles } = evidence;
  const isElsewhere = ({ keys, all }: Witness) => (keys.get(slug) ?? key) !== key && all.has(key);
  const names = [alts, scheduled, knownTitles].find(isElsewhere);
  // Few addresses and files spell a title, so these two count only when they spell that of another card.
  return names ?? [slugs, files].find((one) => isElsewhere(one) && titles.all.has(one.keys.get(slug) ?? ''));
}

function hasForeignCover({ anime, alt }: Listed, evidence: Evidence): boolean {
  const path = coverPath(anime.image);
  const owner = evidence.coverOwners.get(path);
  const theirs = owner && owner !== anime.slug ? evidence.listed.get(owner) : undefined;
  if (theirs && coverPath(theirs.anime.image) !== path) return true;
  const isShared = (evidence.coverCounts.get(path) ?? 0) > 1;
  return isShared && alt !== '' && !areSimilar(titleKey(alt), titleKey(anime.title));
}

/** A known anime gets another title: where the schedule has it, it has to agree, else the cover's text has to. */
function doubtNewTitle({ anime, alt }: Listed, { scheduled, known }: Evidence): string | undefined {
  const key = titleKey(anime.title);
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
function judgeDay({ anime }: Listed, { days, known }: Evidence): CardFault | undefined {
  const scheduled = days.get(anime.slug);
  const isAgreed = !scheduled || scheduled.has(anime.day) || known.get(anime.slug)?.day === anime.day;
  return isAgreed ? undefined : { field: 'day', found: anime.day, against: 'the schedule' };
}

function judgeEpisode({ anime }: Listed, { known }: Evidence, corrections: Corrections) {
  const { slug, episode } = anime;
  const before = known.get(slug)?.episode ?? episode;
  if (episode <= before + MAX_EPISODES_AT_ONCE) return undefined;
  if (corrections.hasLasted(slug, 'episode', `${episode}`)) return undefined;
  return { field: 'episode', found: `${episode}`, against: `the last good list, which has ${before}` };
}
