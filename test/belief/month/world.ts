import type { OngoingAnime } from '../../../src/domain/listing.ts';
import { MONTHS } from '../../../src/domain/source-date.ts';
import { type AnimePage, type OngoingPage, PageGone } from '../../../src/source/source.ts';
import { makeAnime, makeAnimePage, showPage } from '../../support/fake-source.ts';

export const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
export const PAGE_CARDS = 10;

/** The list of the honest source at one time. */
interface Version {
  at: number;
  anime: OngoingAnime[];
}

/** The honest source: its list with every earlier version, and what has happened in truth. */
export class HonestSource {
  readonly versions: Version[];
  /** Everything that an event may tell, and every record that may be served. */
  readonly facts = new Set<string>();
  readonly records = new Set<string>();
  /** The episodes of each anime with their days, the newest first, as its own page has them. */
  readonly #episodes = new Map<string, AnimePage['episodes']>();
  #created: number;

  constructor(count: number, at: number) {
    this.#created = count;
    const anime = Array.from({ length: count }, (_, index) => ({
      ...makeAnime(index + 1),
      title: `Cerita Panjang Nomor ${index + 1} dari Kota Hujan`,
      date: dateOf(at - Math.floor(index / 6) * DAY_MS),
    }));
    for (const [index, { slug, episode }] of anime.entries())
      this.#episodes.set(slug, weeklyEpisodes(episode, at - Math.floor(index / 6) * DAY_MS));
    this.versions = [{ at, anime }];
    this.#noteRecords();
  }

  get anime(): OngoingAnime[] {
    return this.versions.at(-1)?.anime ?? [];
  }

  /** The list as it was then. */
  at(time: number): Version {
    return this.versions.findLast(({ at }) => at <= time) ?? (this.versions[0] as Version);
  }

  air(index: number, now: number): void {
    const one = this.anime[index % this.anime.length] as OngoingAnime;
    const aired = { ...one, episode: one.episode + 1, date: dateOf(now) };
    this.#episodes.get(one.slug)?.unshift({ episode: aired.episode, date: dayOf(now) });
    this.facts.add(`new-episode ${one.slug} ${aired.episode}`);
    this.#change([aired, ...this.anime.filter((other) => other !== one)], now);
  }

  add(now: number): void {
    this.#created += 1;
    const added = { ...makeAnime(this.#created), title: `Baru ${this.#created}`, date: dateOf(now) };
    this.#episodes.set(added.slug, weeklyEpisodes(added.episode, now));
    this.facts.add(`added ${added.slug}`);
    this.facts.add(`new-episode ${added.slug} ${added.episode}`);
    this.#change([added, ...this.anime], now);
  }

  leave(index: number, now: number): void {
    const one = this.anime[index % this.anime.length] as OngoingAnime;
    this.facts.add(`left ${one.slug}`);
    this.#change(
      this.anime.filter((other) => other !== one),
      now,
    );
  }

  /** The own page of an anime, as the source has it now. */
  pageOf(slug: string): AnimePage {
    const versions = this.versions.toReversed();
    const anime = versions.flatMap((version) => version.anime.find((one) => one.slug === slug) ?? [])[0];
    if (!anime) throw new PageGone(`there is no page of ${slug}`);
    const page = makeAnimePage(anime);
    const status = this.facts.has(`left ${slug}`) ? ('completed' as const) : ('ongoing' as const);
    return { ...page, episodes: this.#episodes.get(slug) ?? [], details: { ...page.details, status } };
  }

  #change(anime: OngoingAnime[], at: number): void {
    this.versions.push({ at, anime });
    this.#noteRecords();
  }

  #noteRecords(): void {
    for (const one of this.anime) this.records.add(JSON.stringify(one));
  }
}

export function pageOf({ anime, at }: Version, number: number): OngoingPage {
  return { ...showPage(anime, number, PAGE_CARDS), builtAt: at };
}

/** So many episodes, a week apart, the last one at a time. */
function weeklyEpisodes(count: number, lastAt: number): AnimePage['episodes'] {
  return Array.from({ length: count }, (_, index) => ({
    episode: count - index,
    date: dayOf(lastAt - index * 7 * DAY_MS),
  }));
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function dateOf(at: number): OngoingAnime['date'] {
  const date = new Date(at);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()] ?? 'Jan'}`;
}
