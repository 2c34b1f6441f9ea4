import { AppError } from '../../../../src/domain/errors.ts';
import type { OngoingAnime } from '../../../../src/domain/listing.ts';
import type { OngoingPage, SchedulePage } from '../../../../src/source/source.ts';
import { makeAnime, showPage, showSchedule } from '../../../support/fake-source.ts';

/** Few cards make a page, so that a crawl of several pages is short. */
export const PAGE_CARDS = 4;
/** More corrections at once than the guard accepts are not tried. */
const MAX_CORRECTIONS = 2;

export type SiteChange = { kind: 'air' | 'add' | 'drop' | 'season' | 'move' | 'correct'; index: number };

/** The source site: its list, with every earlier version of it. */
export class ModelSite {
  /** The last one is the present list. */
  readonly versions: OngoingAnime[][];
  /** How many more reads fail. */
  failures = 0;
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

  readOngoing(number: number): OngoingPage {
    this.#failPerhaps();
    return showPage(this.anime, number, PAGE_CARDS);
  }

  readSchedule(): SchedulePage {
    this.#failPerhaps();
    return showSchedule(this.anime);
  }

  #failPerhaps(): void {
    if (this.failures === 0) return;
    this.failures -= 1;
    throw new AppError('source-down', 'the source is down');
  }
}
