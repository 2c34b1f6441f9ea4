import { checkReadablePages, checkSchedulePage } from '../crawler/page-checks.ts';
import { AppError } from '../domain/errors.ts';
import type { OngoingAnime, ScheduledAnime } from '../domain/listing.ts';
import { type Card, type CardFault, isUnreadable } from '../source/source.ts';
import { type Finding, ok, warning } from './check.ts';
import { fileToFix, type PageName } from './parser-files.ts';
import type { SitePages } from './read-site.ts';

const ONGOING_FIELDS: (keyof OngoingAnime)[] = ['title', 'slug', 'image', 'episode', 'day', 'date'];
const SCHEDULE_FIELDS: (keyof ScheduledAnime | 'day')[] = ['title', 'slug', 'day'];

interface SelectorsOptions {
  siteName: string;
  pages: () => Promise<SitePages | undefined>;
}

/** On how many cards each field can be parsed. It is a problem where the guard would refuse the page. */
export async function* checkSelectors({ siteName, pages }: SelectorsOptions): AsyncGenerator<Finding> {
  const site = await pages();
  const schedule = site?.schedule.result.parsed;
  if (schedule) {
    const cards = schedule.groups.flatMap<Card<object>>((group) => group.cards);
    const isRefused = isRefusedBy(() => checkSchedulePage(schedule, false));
    yield* checkFields({ siteName, page: 'schedule', fields: SCHEDULE_FIELDS, cards, isRefused });
  }
  const ongoing = [site?.first, site?.last].flatMap((reading) => reading?.result.parsed ?? []);
  if (ongoing.length > 0) {
    const cards = ongoing.flatMap<Card<object>>((page) => page.cards);
    const isRefused = isRefusedBy(() => checkReadablePages(ongoing, false));
    yield* checkFields({ siteName, page: 'ongoing', fields: ONGOING_FIELDS, cards, isRefused });
  }
  if (!schedule && ongoing.length === 0) yield warning('not checked: no page was recognised');
}

interface Fields {
  siteName: string;
  page: PageName;
  fields: string[];
  cards: Card<object>[];
  isRefused: boolean;
}

function* checkFields({ siteName, page, fields, cards, isRefused }: Fields): Generator<Finding> {
  if (cards.length === 0) return;
  const faults = cards.filter(isUnreadable).flatMap((card) => card.faults);
  for (const field of fields) {
    const ofField = faults.filter((fault) => fault.field === field);
    const share = `${page} ${field}: ${cards.length - ofField.length} of ${cards.length} cards`;
    const example = ofField.find((fault) => fault.missing) ?? ofField[0];
    if (!example) {
      yield ok(share);
      continue;
    }
    const why = describeFault(example, ofField.length * 2 > cards.length);
    const text = `${share}; ${why}: fix ${fileToFix(siteName, example)}`;
    yield { level: isRefused ? 'problem' : 'warning', text };
  }
}

function describeFault({ missing, found }: CardFault, isOnMost: boolean): string {
  if (!missing) return `the others cannot be read, for instance "${found}"`;
  return isOnMost ? `${missing} matches nothing, and is probably renamed` : `others lack ${missing}`;
}

function isRefusedBy(check: () => void): boolean {
  try {
    check();
    return false;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return true;
  }
}
