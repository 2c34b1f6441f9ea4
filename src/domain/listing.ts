import type { KnownDetails } from './details.ts';
import type { Ledger } from './ledger.ts';
import { DAY_MS } from './units.ts';

/** Broadcast slots in the order in which the schedule shows them. */
export const DAYS = ['Senin', 'Selasa', 'Rabu', 'Kamis', 'Jumat', 'Sabtu', 'Minggu', 'Random'] as const;
export type Day = (typeof DAYS)[number];

/** An anime of the ongoing list may have no slot: `None`. */
export type OngoingDay = Day | 'None';

export const MONTHS = [
  'Jan',
  'Feb',
  'Mar',
  'Apr',
  'Mei',
  'Jun',
  'Jul',
  'Agu',
  'Sep',
  'Okt',
  'Nov',
  'Des',
] as const;
const DAYS_OF_YEAR = 12 * 31;
export type Month = (typeof MONTHS)[number];

/** `15 Agu`: no leading zero, and no year because the source gives none. */
export type ShortDate = `${number} ${Month}`;

/**
 * Whether a date follows another one within half a year. The source gives no year, so a date that is older than that
 * cannot be told from a later one.
 */
export function isLaterDate(date: string, other: string, maxDays = DAYS_OF_YEAR / 2): boolean {
  const days = (dayOfYear(date) - dayOfYear(other) + DAYS_OF_YEAR) % DAYS_OF_YEAR;
  return days > 0 && days <= maxDays;
}

/** `15 Agu` → its place in a year whose months all have 31 days. */
function dayOfYear(date: string): number {
  const [day, month = ''] = date.split(' ');
  const months: readonly string[] = MONTHS;
  return Number(day) + 31 * months.indexOf(month);
}

/** How many anime make a page of the ongoing list, at the source and here. */
export const PAGE_SIZE = 25;

export interface ScheduledAnime {
  title: string;
  /** `[a-z0-9-]` and percent-escapes in lower case; the same anime has the same slug everywhere. */
  slug: string;
}

export interface DaySchedule {
  day: Day;
  animeList: ScheduledAnime[];
}

export interface OngoingAnime {
  title: string;
  /** The newest episode that has been released. */
  episode: number;
  day: OngoingDay;
  /** When that episode was released. */
  date: ShortDate;
  /** Absolute address of the cover, at the source. */
  image: string;
  slug: string;
  /** Whether the source marks the episode as the last one. */
  isLast?: true;
}

/** What one crawl of the source yields. */
export interface Listing {
  /** Always eight groups, in the order of `DAYS`. */
  schedule: DaySchedule[];
  /** In the source's order, newest first; no slug twice. */
  ongoing: OngoingAnime[];
}

/** The last good listing, and when each part of it last changed (ms since 1970). */
export interface Snapshot extends Listing {
  scheduleChangedAt: number;
  ongoingChangedAt: number;
  /** Identifies the numbering of events: another one begins with a listing of which no process knows the events. */
  epoch: string;
  /** Counts what was written: of two snapshots with the same events, the later one has the larger number. */
  revision?: number;
  /** The number of the last event that this snapshot includes; later events are not visible yet. 0 before the first. */
  lastEvent: number;
  /** The anime that left the ongoing list in the last 90 days; absent in a snapshot that was stored before. */
  left?: Record<string, LeftAnime>;
  /** The same for the anime that left the schedule and are not in the ongoing list. */
  leftSchedule?: Record<string, LeftSlot>;
  /** The slugs that the source has corrected in the last 90 days, by the former one. */
  renamed?: Record<string, Renamed>;
  /** What was read of the releases of the anime that are listed, or were in the last 90 days. */
  ledger: Ledger;
  /** What the pages of single anime say, by slug; absent until one was read. */
  details?: Record<string, KnownDetails>;
  /** When `details`, or the ledger because of them, last changed; absent before they did. */
  detailsChangedAt?: number;
}

/** For how long an anime is remembered after it left. */
export const LEFT_KEPT_MS = 90 * DAY_MS;

export interface Renamed {
  /** The slug that it has now. */
  to: string;
  /** ms since 1970 */
  at: number;
}

export interface LeftAnime {
  /** ms since 1970 */
  leftAt: number;
  /** Its last record. */
  anime: OngoingAnime;
}

export interface LeftSlot {
  /** ms since 1970 */
  leftAt: number;
  title: string;
  day: Day;
}

/** When an anime left both listings, by slug; ms since 1970. One that came back is not among them. */
export function leftAtOf({ left = {}, leftSchedule = {}, ...listing }: Snapshot): Map<string, number> {
  const listed = listedSlugs(listing);
  const gone = new Set([...Object.keys(left), ...Object.keys(leftSchedule)]).difference(listed);
  const lastOf = (slug: string) => Math.max(left[slug]?.leftAt ?? 0, leftSchedule[slug]?.leftAt ?? 0);
  return new Map([...gone].map((slug) => [slug, lastOf(slug)]));
}

/**
 * The slugs that were corrected in the last 90 days, each with the slug that its anime has now. A former slug that is listed
 * again belongs to the anime that has it then. `now`: ms since 1970.
 */
export function renamedSlugs(snapshot: Snapshot, now: number): Map<string, string> {
  const known = new Set([...listedSlugs(snapshot), ...leftAtOf(snapshot).keys()]);
  const renamed = Object.entries(snapshot.renamed ?? {}).filter(
    ([from, { to, at }]) => at > now - LEFT_KEPT_MS && !known.has(from) && known.has(to),
  );
  return new Map(renamed.map(([from, { to }]) => [from, to]));
}

/** When the schedule or the ongoing list last changed, ms since 1970. */
export function listingChangedAt(snapshot: Snapshot): number {
  return Math.max(snapshot.scheduleChangedAt, snapshot.ongoingChangedAt);
}

/** When anything of the snapshot last changed, ms since 1970. */
export function changedAt(snapshot: Snapshot): number {
  return Math.max(listingChangedAt(snapshot), snapshot.detailsChangedAt ?? 0);
}

/** The entries of all days, each with its day; an anime may have several. */
export function listEntries(schedule: readonly DaySchedule[]): { day: Day; title: string; slug: string }[] {
  return schedule.flatMap(({ day, animeList }) => animeList.map((anime) => ({ ...anime, day })));
}

/** Maps anime by slug. Of several with one slug, the last counts, at the place of the first. */
export function bySlug<Anime extends { slug: string }>(list: readonly Anime[]): Map<string, Anime> {
  return new Map(list.map((anime) => [anime.slug, anime]));
}

/** The slugs of both listings, those of the ongoing list first. */
export function listedSlugs({ ongoing, schedule }: Listing): Set<string> {
  return new Set([...ongoing, ...listEntries(schedule)].map(({ slug }) => slug));
}
