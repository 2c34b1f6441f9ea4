import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCatalogue } from '../../../src/demo/catalogue.ts';
import { openSampleSite } from '../../../src/demo/sample-site.ts';
import { DAYS } from '../../../src/domain/listing.ts';
import { shortDate } from '../../../src/domain/source-date.ts';
import type { Defer } from '../../support/defer.ts';
import type { Journal } from './journal.ts';

/** Between two changes. */
const MIN_MS = 2_500;
const MAX_MS = 9_000;
const SYLLABLES = 'ka shi no ten rai mo gu sei hana kyo ryu tsu be wo'.split(' ');

/** Identifies an event: `new-episode SLUG 7`, `added SLUG`, `moved SLUG Senin`. */
export type EventKey = string;

export interface EventLike {
  type: string;
  slug: string;
  episode?: number;
  to?: string;
}

export function keyOf({ type, slug, episode, to }: EventLike): EventKey {
  if (type === 'new-episode') return `${type} ${slug} ${episode}`;
  return type === 'moved' ? `${type} ${slug} ${to}` : `${type} ${slug}`;
}

export interface ChangingSource {
  origin: string;
  /** What every follower must receive, once each. */
  changes: EventKey[];
  /** What a follower may receive, once at most. */
  optional: Set<EventKey>;
  /** Changes the list again and again, until it is aborted. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * A source on the loopback whose list changes: episodes, new anime, other days of the week, and corrected titles, which cause
 * no event. Each anime gets at most one episode, with a newer date, so that the service has no reason to doubt it.
 */
export async function openChangingSource(
  defer: Defer,
  random: () => number,
  journal: Journal,
): Promise<ChangingSource> {
  const catalogue = createCatalogue(new Date());
  const site = await openSampleSite({ catalogue });
  defer(() => site.close());
  const { anime } = catalogue;
  const today = () => shortDate(Date.now());
  const first = today();
  // An anime that is out today already cannot have another episode with a newer date.
  const airing = new Set(anime.filter(({ date }) => date !== first).map(({ slug }) => slug));
  const movable = new Set(airing);
  /** The anime that have not changed yet. */
  const untouched = new Set(airing);
  const changes: EventKey[] = [];
  const optional = new Set<EventKey>();

  function take(slugs: Set<string>): number {
    const all = [...slugs];
    const slug = all[Math.floor(random() * all.length)]!;
    slugs.delete(slug);
    untouched.delete(slug);
    return anime.findIndex((one) => one.slug === slug);
  }

  function note(event: EventLike): void {
    changes.push(keyOf(event));
    journal.write('source', { change: keyOf(event) });
  }

  function air(): void {
    const [old] = anime.splice(take(airing), 1);
    const aired = { ...old!, episode: old!.episode + 1, date: today() };
    anime.unshift(aired);
    note({ type: 'new-episode', ...aired });
  }

  function add(): void {
    const title = titleOf(changes.length);
    const slug = `${title.toLowerCase().replaceAll(' ', '-')}-sub-indo`;
    const day = DAYS[Math.floor(random() * 7)]!;
    const image = `/wp-content/uploads/2026/11/${slug}.jpg`;
    anime.unshift({ title, slug, episode: 1, day, date: today(), image });
    note({ type: 'added', slug });
    optional.add(keyOf({ type: 'new-episode', slug, episode: 1 }));
  }

  function move(): void {
    const index = take(movable);
    const old = anime[index]!;
    const to = DAYS.slice(0, 7).find((day) => day !== old.day)!;
    anime[index] = { ...old, day: to };
    note({ type: 'moved', slug: old.slug, to });
  }

  /** A corrected title is doubted for hours, and so is the rest of its card, so nothing else happens to this anime. */
  function correctTitle(): void {
    const index = take(untouched);
    const old = anime[index]!;
    airing.delete(old.slug);
    movable.delete(old.slug);
    anime[index] = { ...old, title: `${old.title}!` };
    journal.write('source', { corrected: old.slug });
  }

  function change(): void {
    const dice = random();
    if (dice < 0.7 && airing.size > 0) air();
    else if (dice < 0.88 || movable.size === 0) add();
    else if (dice < 0.96 || untouched.size === 0) move();
    else correctTitle();
  }

  return {
    origin: site.origin,
    changes,
    optional,
    async run(signal) {
      while (!signal.aborted) {
        await sleep(MIN_MS + random() * (MAX_MS - MIN_MS), undefined, { signal }).catch(() => {});
        if (!signal.aborted) change();
      }
    },
  };
}

/** A title of three invented words that resembles no other. */
function titleOf(number: number): string {
  const bytes = createHash('sha256').update(`chaos ${number}`).digest();
  const words = [0, 3, 6].map((at) =>
    [at, at + 1, at + 2].map((place) => SYLLABLES[bytes[place]! % SYLLABLES.length]).join(''),
  );
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}
