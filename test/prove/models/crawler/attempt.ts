import { isDeepStrictEqual } from 'node:util';
import {
  type DaySchedule,
  isLaterDate,
  type OngoingAnime,
  type Snapshot,
} from '../../../../src/domain/listing.ts';
import { isReadable, type OngoingPage, type SchedulePage } from '../../../../src/source/source.ts';
import { showSchedule } from '../../../support/fake-source.ts';
import { type ModelSite, PAGE_CARDS } from './site.ts';

interface AttemptOptions {
  site: ModelSite;
  before: Snapshot | undefined;
}

/** One refresh under the lease: what the site answered, and what was written. The checks return what is wrong. */
export class Attempt {
  /** Keys of the store. */
  readonly writes: string[] = [];
  readonly #records = new Set<string>();
  readonly #entries = new Set<string>();
  readonly #options: AttemptOptions;
  readonly #firstVersion: number;
  #isWhole = true;
  #isCrawl = false;

  constructor(options: AttemptOptions) {
    this.#options = options;
    this.#firstVersion = options.site.versions.length - 1;
  }

  noteOngoing(page: OngoingPage): OngoingPage {
    for (const anime of page.cards.filter(isReadable)) this.#records.add(JSON.stringify(anime));
    return page;
  }

  noteSchedule(page: SchedulePage): SchedulePage {
    this.#isCrawl = true;
    const entries = page.groups.flatMap(({ day, cards }) =>
      cards.filter(isReadable).map(({ slug, title }) => `${day} ${slug} ${title}`),
    );
    for (const entry of entries) this.#entries.add(entry);
    return page;
  }

  /** A page failed, or another process may write from now on: the stored snapshot says nothing about this attempt. */
  noteFailure(): void {
    this.#isWhole = false;
  }

  /** Checks a snapshot that this attempt has written. */
  checkSnapshot(after: Snapshot): string[] {
    return [...this.#checkOrigin(after), ...this.#checkComplete(after)];
  }

  /** Every record was on a page of this attempt, or is the last good one. */
  #checkOrigin({ ongoing, schedule }: Snapshot): string[] {
    const { before } = this.#options;
    const records = new Set([...this.#records, ...(before?.ongoing ?? []).map((one) => JSON.stringify(one))]);
    const entries = new Set([...this.#entries, ...entriesOf(before?.schedule ?? [])]);
    const known = new Map(before?.ongoing.map((one) => [one.slug, one]));
    // What is pending in a record keeps its known value, while its new episode is shown.
    const mixtures = [...this.#records].map((text) => {
      const { episode, date, slug } = JSON.parse(text) as OngoingAnime;
      return JSON.stringify({ ...known.get(slug), episode, date });
    });
    for (const one of mixtures) records.add(one);
    const invented = ongoing.map((one) => JSON.stringify(one)).filter((one) => !records.has(one));
    const unscheduled = entriesOf(schedule).filter((one) => !entries.has(one));
    return [...invented, ...unscheduled].map((one) => `no page has ${one}`);
  }

  /** No anime is missing that was on the list all the time, unless the list moved more than a crawl can follow. */
  #checkComplete({ ongoing }: Snapshot): string[] {
    const { before, site } = this.#options;
    const versions = site.versions.slice(this.#firstVersion);
    const drops = versions.filter((list, index) => list.length < (versions[index - 1]?.length ?? 0)).length;
    if (!this.#isWhole || versions.length > PAGE_CARDS || drops > 1) return [];
    const listed = new Set(ongoing.map(({ slug }) => slug));
    const known = new Set(before?.ongoing.map(({ slug }) => slug));
    const lost = (versions[0] ?? []).filter(
      ({ slug }) =>
        known.has(slug) &&
        !listed.has(slug) &&
        versions.every((list) => list.some((one) => one.slug === slug)),
    );
    return lost.map(({ slug }) => `${slug} is on the list and is lost`);
  }

  /** Checks the end of an attempt: `last` is the stored snapshot. */
  checkEnd(isRefused: boolean, isPending: boolean, last: Snapshot | undefined): string[] {
    const data = this.writes.filter((key) => key !== 'status');
    const faults = isRefused && !isPending && data.length > 0 ? [`a refused crawl wrote ${data}`] : [];
    const { site, before } = this.#options;
    const isCalm = this.#isCrawl && this.#isWhole && site.versions.length - 1 === this.#firstVersion;
    if (!isCalm || !isOrdinary(before, site.anime)) return faults;
    if (isRefused) return [...faults, 'a good list was refused'];
    return [...faults, ...checkSame(last, site)];
  }
}

/** The stored listing is the one of the site. */
export function checkSame(last: Snapshot | undefined, { anime }: ModelSite): string[] {
  const isSame =
    isDeepStrictEqual(last?.ongoing, anime) &&
    isDeepStrictEqual(
      last?.schedule,
      showSchedule(anime).groups.map(({ day, cards }) => ({ day, animeList: cards })),
    );
  return isSame ? [] : ['the snapshot is not what the site has'];
}

/** Whether nothing contradicts what is known: everything is there, and as it was, or has a new episode and a later date. */
function isOrdinary(before: Snapshot | undefined, anime: readonly OngoingAnime[]): boolean {
  if (!before) return true;
  const present = new Map(anime.map((one) => [one.slug, one]));
  const isAsKnown = (last: OngoingAnime) => {
    const now = present.get(last.slug);
    const isNews = now && now.episode > last.episode && isLaterDate(now.date, last.date);
    return now && now.day === last.day && (isNews || isDeepStrictEqual(now, last));
  };
  const entries = new Set(anime.map(({ day, slug, title }) => `${day} ${slug} ${title}`));
  return before.ongoing.every(isAsKnown) && entriesOf(before.schedule).every((entry) => entries.has(entry));
}

function entriesOf(schedule: readonly DaySchedule[]): string[] {
  return schedule.flatMap(({ day, animeList }) =>
    animeList.map(({ slug, title }) => `${day} ${slug} ${title}`),
  );
}
