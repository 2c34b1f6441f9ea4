import { AppError } from '../../../../src/domain/errors.ts';
import type { OngoingAnime } from '../../../../src/domain/listing.ts';
import type { OngoingPage, SchedulePage } from '../../../../src/source/source.ts';
import { makeAnime, showPage, showSchedule } from '../../../support/fake-source.ts';

/** Few cards make a page, so that a crawl of several pages is short. */
export const PAGE_CARDS = 4;
/** More corrections at once than the guard accepts are not tried. */
const MAX_CORRECTIONS = 2;

export const FAULTS = [
  'down',
  'blocked',
  'empty',
  'short',
  'stale',
  'no-pager',
  'other-page',
  'garbled',
] as const;
type FaultKind = (typeof FAULTS)[number];

export interface Fault {
  kind: FaultKind;
  /** How many reads it lasts. */
  reads: number;
  /** How many versions back a stale page is. */
  age: number;
}

export type SiteChange = { kind: 'air' | 'add' | 'drop' | 'season' | 'move' | 'correct'; index: number };

/** The source site: its list, with every earlier version of it, and the faults of its answers. */
export class ModelSite {
  /** The last one is the present list. */
  readonly versions: OngoingAnime[][];
  fault: Fault | undefined;
  #corrections = 0;
  #date = 0;
  #created: number;

  constructor(count: number) {
    this.versions = [Array.from({ length: count }, (_, index) => makeAnime(index + 1))];
    this.#created = count;
  }

  get anime(): OngoingAnime[] {
    return this.versions.at(-1) ?? [];
  }

  change({ kind, index }: SiteChange): void {
    const changed = this.#changed(kind, index % this.anime.length);
    if (changed) this.versions.push(changed);
  }

  #changed(kind: SiteChange['kind'], index: number): OngoingAnime[] | undefined {
    const { anime } = this;
    const one = anime[index];
    if (!one) return undefined;
    const others = anime.toSpliced(index, 1);
    switch (kind) {
      case 'air':
        return [{ ...one, episode: one.episode + 1, date: this.#nextDate() }, ...others];
      case 'add':
        this.#created += 1;
        return [{ ...makeAnime(this.#created), date: this.#nextDate() }, ...anime];
      case 'drop':
        return others.length > 0 ? others : undefined;
      case 'season':
        return anime.slice(0, Math.ceil(anime.length / 3));
      case 'move':
        return anime.with(index, { ...one, day: one.day === 'Random' ? 'Senin' : 'Random' });
      case 'correct':
        this.#corrections += 1;
        return this.#corrections <= MAX_CORRECTIONS && one.episode > 1
          ? anime.with(index, { ...one, episode: one.episode - 1 })
          : undefined;
    }
  }

  #nextDate(): OngoingAnime['date'] {
    this.#date += 1;
    return `${1 + (this.#date % 28)} Des`;
  }

  /** Returns the page as the site answers it, and whether that is the truth. */
  readOngoing(number: number): { page: OngoingPage; isTrue: boolean } {
    const fault = this.#nextFault();
    const page = pageOf(this.anime, number);
    switch (fault?.kind) {
      case undefined:
        return { page, isTrue: true };
      case 'empty':
        return { page: { ...page, cards: [], alts: [] }, isTrue: false };
      case 'short':
        return { page: pageOf(this.anime.slice(0, Math.ceil(this.anime.length / 3)), number), isTrue: false };
      case 'stale':
        return { page: pageOf(this.#version(fault.age), number), isTrue: false };
      case 'no-pager':
        return { page: { ...page, number: 1, lastNumber: 1 }, isTrue: false };
      case 'other-page':
        return { page: pageOf(this.anime, number + 1), isTrue: false };
      case 'garbled':
        return { page: garble(page), isTrue: false };
      default:
        throw fail(fault?.kind);
    }
  }

  readSchedule(): { page: SchedulePage; isTrue: boolean } {
    const fault = this.#nextFault();
    switch (fault?.kind) {
      case 'down':
      case 'blocked':
        throw fail(fault.kind);
      case 'empty':
        return { page: { groups: [], linked: [] }, isTrue: false };
      case 'stale':
        return { page: showSchedule(this.#version(fault.age)), isTrue: false };
      default:
        return { page: showSchedule(this.anime), isTrue: true };
    }
  }

  #version(age: number): OngoingAnime[] {
    return this.versions[Math.max(0, this.versions.length - 1 - age)] ?? [];
  }

  #nextFault(): Fault | undefined {
    const { fault } = this;
    if (fault) this.fault = fault.reads > 1 ? { ...fault, reads: fault.reads - 1 } : undefined;
    return fault;
  }
}

function fail(kind: FaultKind | undefined): AppError {
  return new AppError(kind === 'blocked' ? 'source-blocked' : 'source-down', `the source is ${kind}`);
}

const pageOf = (anime: readonly OngoingAnime[], number: number) => showPage(anime, number, PAGE_CARDS);

/** One card of the page cannot be read. */
function garble(page: OngoingPage): OngoingPage {
  const [first, ...others] = page.cards;
  if (!first) return page;
  const unreadable = { card: 1, slug: first.slug ?? '', faults: [{ field: 'episode', found: 'Tamat' }] };
  return { ...page, cards: [unreadable, ...others] };
}
