import { believedCard, type CardClaim, type Claim, type Ledger, sortClaims } from '../domain/ledger.ts';
import { bySlug, type Listing, type OngoingAnime, type Snapshot } from '../domain/listing.ts';
import { dateCards } from '../domain/source-date.ts';

/** A good reading of the ongoing list; ms since 1970. */
export interface ListReading {
  at: number;
  /** The good reading before; absent where nobody knows when it was. */
  after?: number | undefined;
  /** The anime whose episode changed against the order of the source: nobody knows when. */
  silent?: ReadonlySet<string>;
}

/** The ledger after a list was read. An episode that a card has corrected is withdrawn with its times. */
export function recordCards(
  before: Snapshot | undefined,
  { ongoing }: Listing,
  reading: ListReading,
): Ledger {
  const known = bySlug(before?.ongoing ?? []);
  const dates = dateCards(ongoing, reading.at);
  const ledger: Record<string, readonly Claim[]> = { ...before?.ledger };
  for (const [index, anime] of ongoing.entries()) {
    const { slug } = anime;
    const claims = ledger[slug] ?? [];
    const last = known.get(slug);
    const isReturn = !last && claims.length > 0;
    const isSighting = before && !isReturn && !reading.silent?.has(slug);
    const card = {
      date: dates[index] as string,
      at: reading.at,
      ...(isSighting && reading.after !== undefined && { after: Math.min(reading.after, reading.at) }),
    };
    const isSame = last?.episode === anime.episode && last.date === anime.date;
    const isWithdrawn = claims.find(({ episode }) => episode === anime.episode)?.card?.isWithdrawn;
    // A card that the page of the anime has corrected is no new evidence.
    if (!isSame || !isWithdrawn) ledger[slug] = recordCard(claims, anime, card);
  }
  return ledger;
}

function recordCard(claims: readonly Claim[], { episode, isLast }: OngoingAnime, card: CardClaim): Claim[] {
  const kept = claims.flatMap((claim) =>
    claim.episode > episode ? setAside(claim, card.date) : show(claim),
  );
  const own = claims.find((claim) => claim.episode === episode);
  const claim = {
    ...(own && show(own)),
    episode,
    card: { ...mergeCards(own, card), ...(isLast && { isLast }) },
  };
  return sortClaims([claim, ...kept.filter((one) => one.episode !== episode)]);
}

/** The first sighting and the first day stand, where the same release is meant. */
function mergeCards(known: Claim | undefined, read: CardClaim): CardClaim {
  if (!known?.card || isOther(known, read.date)) return read;
  const { isWithdrawn: _, isLast: __, ...card } = known.card;
  // The year of the first list is a guess that each later list corrects.
  const isSameDay = card.date.slice(5) === read.date.slice(5);
  const isGuess = card.after === undefined && (isSameDay || read.date < card.date);
  return { ...card, date: isGuess ? read.date : card.date };
}

/** A claim above a number that the list shows on this day: withdrawn where it is corrected, hidden where it came before. */
function setAside(claim: Claim, date: string): Claim | [] {
  return (claim.card?.date ?? claim.row) === date ? withdraw(claim) : { ...claim, isHidden: true };
}

function show({ isHidden: _, ...claim }: Claim): Claim {
  return claim;
}

/** Whether a number that was taken back is now that of a release on another day. */
function isOther({ card, row, isHidden }: Claim, date: string): boolean {
  return card?.date !== date && (card?.isWithdrawn === true || (isHidden === true && row === undefined));
}

/** What is left of a claim whose number was corrected: what may have been told of it. */
export function withdraw({ episode, card }: Claim): Claim | [] {
  return card ? { episode, card: { ...card, isWithdrawn: true } } : [];
}

/**
 * Whether a card tells an episode that none told before: a higher one, or the right number of one that is withdrawn by it.
 */
export function isNewEpisode(claims: readonly Claim[], { episode }: OngoingAnime, date: string): boolean {
  const own = claims.find((claim) => claim.episode === episode);
  if (own?.card && !isOther(own, date)) return false;
  const higher = claims.filter((claim) => claim.episode > episode && believedCard(claim));
  return higher.every(({ card }) => card?.after !== undefined && card.date <= date);
}
