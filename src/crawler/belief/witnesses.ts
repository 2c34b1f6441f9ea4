import { bySlug, type Listing, listEntries, type OngoingAnime } from '../../domain/listing.ts';
import type { Reading, Scheduled, Shown } from './reading.ts';
import { coverPath, titleKey } from './titles.ts';

/** The titles that one place gives to the anime, as keys of `titleKey` by slug, and the set of these keys. */
export interface Witness {
  name: string;
  keys: ReadonlyMap<string, string>;
  all: ReadonlySet<string>;
}

/** Everything that the pages and the last good listing say of each anime, by slug. */
export interface Witnesses {
  known: ReadonlyMap<string, OngoingAnime>;
  cards: ReadonlyMap<string, OngoingAnime>;
  week: ReadonlyMap<string, Scheduled>;
  titles: Witness;
  alts: Witness;
  scheduled: Witness;
  knownTitles: Witness;
  /** The days of each anime in the last good schedule. */
  knownDays: ReadonlyMap<string, readonly string[]>;
  /** The anime that each cover belonged to, where it belonged to one; and how many have each cover now. */
  owners: ReadonlyMap<string, string>;
  coverCounts: ReadonlyMap<string, number>;
  /** The changes of the episodes of known anime, as `describeMove` says them. */
  episodeMoves: ReadonlySet<string>;
}

export function indexWitnesses({ list, week, entries }: Reading, lastGood: Listing | undefined): Witnesses {
  const shown = [...list.values()].filter(
    (one): one is Shown & { anime: OngoingAnime } => one.anime !== undefined,
  );
  const anime = shown.map((one) => one.anime);
  const before = lastGood?.ongoing ?? [];
  const known = bySlug(before);
  const knownEntries = listEntries(lastGood?.schedule ?? []);
  const owned = Map.groupBy(before, ({ image }) => coverPath(image));
  const moves = anime.flatMap((one) => {
    const last = known.get(one.slug);
    return last ? [describeMove(last, one)] : [];
  });
  return {
    known,
    week,
    cards: bySlug(anime),
    titles: witness('another card', anime.map(titled)),
    alts: witness(
      "the cover's text",
      shown.flatMap(({ slug, alt }) => (alt ? [[slug, titleKey(alt)]] : [])),
    ),
    scheduled: witness('the schedule', entries.map(titled)),
    knownTitles: witness('the last good list', [...knownEntries, ...before].map(titled)),
    knownDays: daysOf(knownEntries),
    owners: new Map(
      [...owned].flatMap(([path, [one, ...others]]) =>
        one && others.length === 0 ? [[path, one.slug]] : [],
      ),
    ),
    coverCounts: new Map(
      [...Map.groupBy(anime, ({ image }) => coverPath(image))].map(([path, all]) => [path, all.length]),
    ),
    episodeMoves: new Set(moves),
  };
}

type Release = Pick<OngoingAnime, 'episode' | 'date'>;

/** `12 to 13`, with the dates where these change too: an exchange with another anime exchanges both or the episode alone. */
export function describeMove(from: Release, to: Release): string {
  const dates = from.date === to.date ? '' : `, ${from.date} to ${to.date}`;
  return `${from.episode} to ${to.episode}${dates}`;
}

function witness(name: string, pairs: [slug: string, key: string][]): Witness {
  const keys = new Map(pairs);
  return { name, keys, all: new Set(keys.values()) };
}

function titled({ slug, title }: { slug: string; title: string }): [string, string] {
  return [slug, titleKey(title)];
}

function daysOf(entries: readonly { slug: string; day: string }[]): Map<string, string[]> {
  const all = Map.groupBy(entries, ({ slug }) => slug);
  return new Map([...all].map(([slug, own]) => [slug, own.map(({ day }) => day).sort()]));
}
