import { bySlug, type Listing, listEntries, type OngoingAnime } from '../domain/listing.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { describeMove, identityOf } from './doubts.ts';
import type { BeliefMemory } from './memory.ts';
import type { Reading } from './reading.ts';
import { titleKey } from './titles.ts';

/** The belief, and the contradictions of later readings. */
export interface Beliefs {
  /** The listing, and the ledger of releases; undefined before the first. */
  lastGood: (Listing & Partial<Pick<Snapshot, 'ledger' | 'left'>>) | undefined;
  memory: BeliefMemory;
}

/** The own page of an anime, as far as it answers the question. */
export interface OwnPageFacts {
  /** Keys of its titles. */
  titles: ReadonlySet<string>;
  /** Its episodes, the newest first. */
  episodes: readonly number[];
  /** Whether nothing follows. */
  hasEnded: boolean;
}

/** The own pages that were read for this reading, by slug; `gone` where there is none. */
export type OwnPages = ReadonlyMap<string, OwnPageFacts | 'gone'>;

/** What the pages and the last good listing say of each anime, by slug. */
export interface Witnesses {
  beliefs: Beliefs;
  reading: Reading;
  ownPages: OwnPages;
  /** Whether page 1 alone was read. */
  isPeek: boolean;
  known: ReadonlyMap<string, OngoingAnime>;
  cards: ReadonlyMap<string, OngoingAnime>;
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
  /** The anime that have a known one below them: what is new stands above what was there. */
  aboveKnown: ReadonlySet<string>;
  /** Whether the pages show at least half as many known anime as they could. */
  isFamiliar: boolean;
}

export function indexWitnesses(
  reading: Reading,
  beliefs: Beliefs,
  { isPeek, ownPages }: { isPeek: boolean; ownPages: OwnPages },
): Witnesses {
  const { list } = reading;
  const { lastGood } = beliefs;
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
    lastGood?.ledger?.[slug]?.page?.rows.some((row) => row.episode === episode);
  const days = Map.groupBy(listEntries(lastGood?.schedule ?? []), ({ slug }) => slug);
  const knownShown = shown.filter(({ slug }) => known.has(slug)).length;
  const lastKnown = shown.findLastIndex(
    ({ slug, anime }) => anime && anime.episode >= (known.get(slug)?.episode ?? Infinity),
  );
  return {
    beliefs,
    reading,
    ownPages,
    isPeek,
    known,
    cards,
    alts,
    episodeMoves: new Set(moves),
    confirmed: new Set(before.filter(isOnPage).map(({ slug }) => slug)),
    owners: new Map(
      before.flatMap((one) => Object.values(identityOf(one)).map((key) => [key, one.slug] as const)),
    ),
    knownDays: new Map([...days].map(([slug, own]) => [slug, own.map(({ day }) => day).sort()])),
    isFamiliar: knownShown * 2 >= Math.min(known.size, shown.length),
    aboveKnown: new Set(shown.slice(0, Math.max(0, lastKnown)).map(({ slug }) => slug)),
  };
}
