import type { AnimeDetails } from '../../../domain/details.ts';
import { cleanText, excerpt, isVisible } from '../../../domain/text.ts';
import { parseFullDate } from '../../vocabulary.ts';
import LABELS from './labels.json' with { type: 'json' };

/** The facts on the page of an anime: labels, and the formats of their values. Editors write them by hand. */

const MAX_TEXT_LENGTH = 300;
const MAX_LIST_LENGTH = 20;
const MAX_ITEM_LENGTH = 80;
const MAX_EPISODES = 5_000;
const MAX_MINUTES = 600;

/** Each fact is read by its label, never by its position. `labels.json` has the spellings of the editors, folded. */
type FactName = keyof typeof LABELS;
/** The text after each label; absent where the page does not have the label. */
export type Facts = Partial<Record<FactName, string>>;

const NAME_OF = new Map<string, FactName>(
  Object.entries(LABELS).flatMap(([name, labels]) =>
    labels.map((label) => [label, name as FactName] as const),
  ),
);
/** What editors write where they know no value. */
const PLACEHOLDER = /^(?:[-–—?.]+|unknown|none|n\/a|tba|tbd|belum diketahui|tidak diketahui)$/iu;
const STATUS: Record<string, AnimeDetails['status'] | 'dropped'> = {
  ongoing: 'ongoing',
  airing: 'ongoing',
  completed: 'completed',
  complete: 'completed',
  tamat: 'completed',
  drop: 'dropped',
  dropped: 'dropped',
};

/** Where the markup between two facts is lost, one runs into the value of the other. */
const ANY_LABEL = new RegExp(`(?:${[...NAME_OF.keys()].join('|')})\\s*:`, 'iu');

/** `Total Episode: 12` → its name and its value, empty where it has another fact in it; undefined for any other text. */
export function parseFact(text: string): [FactName, string] | undefined {
  const [, label = '', value = ''] = /^([^:]{1,40}):(.*)$/su.exec(text) ?? [];
  const name = NAME_OF.get(cleanText(label).toLowerCase());
  return name && [name, ANY_LABEL.test(value) ? '' : cleanText(value)];
}

/** `genres`: the names of the genres that are links; the text of the label counts where there are none. */
export function parseDetails(facts: Facts, genres: readonly string[]): Omit<AnimeDetails, 'synopsis'> {
  const status = STATUS[(facts.status ?? '').toLowerCase().replace(/[^a-z]/gu, '')] ?? null;
  return {
    japanese: parseText(facts.japanese),
    score: parseScore(facts.score),
    type: parseText(facts.type),
    ...(status === 'dropped' ? { status: null, isDropped: true } : { status }),
    totalEpisodes: parseCount(facts.totalEpisodes),
    minutes: parseMinutes(facts.minutes),
    startedOn: parseStart(facts.startedOn),
    studios: parseList(facts.studios),
    genres: genres.length > 0 ? cleanList(genres) : parseList(facts.genres),
    producers: parseList(facts.producers),
  };
}

function parseText(text = ''): string | null {
  return isValue(text) ? excerpt(text, MAX_TEXT_LENGTH) : null;
}

/** Whether a text is neither empty nor a placeholder, and was not cut. */
function isValue(text: string): boolean {
  return isVisible(text) && !PLACEHOLDER.test(text) && !text.endsWith('…');
}

/** `7.44`, `7,44` */
function parseScore(text = ''): number | null {
  const score = /^\d{1,2}(?:[.,]\d{1,2})?$/u.test(text) ? Number(text.replace(',', '.')) : 0;
  return score > 0 && score <= 10 ? score : null;
}

/** `12`, `12 Episode` */
function parseCount(text = ''): number | null {
  const count = Number(/^(\d{1,4})(?:\s*(?:episodes?|eps?)\.?)?$/iu.exec(text)?.[1]);
  return count > 0 && count <= MAX_EPISODES ? count : null;
}

/** `23 Min.`, `24 menit`, `23 min. per ep.`, `1 hr. 30 min.` */
function parseMinutes(text = ''): number | null {
  const [all, hours = 0, minutes = 0] =
    /^(?:(\d{1,2})\s*(?:hr|hour|jam)s?\.?)?\s*(?:(\d{1,3})\s*(?:min|minute|menit|mnt)s?\.?)?(?:\s*(?:per|\/)\s*ep(?:isode|s)?\.?)?$/iu.exec(
      text,
    ) ?? [];
  const total = all === undefined ? 0 : Number(hours) * 60 + Number(minutes);
  return total > 0 && total <= MAX_MINUTES ? total : null;
}

/** `Jan 08, 2026`, `Jan 8, 2026 to Mar 26, 2026` */
function parseStart(text = ''): string | null {
  return parseFullDate(text.replace(/\s+(?:to|sampai|s\/d|-|–)\s.*$/isu, '')) ?? null;
}

/** `Kadokawa, Aniplex`; a comma before the legal form of a company separates nothing. */
function parseList(text = ''): string[] {
  return cleanList(text.split(/,(?!\s*(?:ltd|inc|llc)\b)/iu));
}

function cleanList(items: readonly string[]): string[] {
  const cleaned = items.map((item) => cleanText(item).replace(/[,;]$/u, ''));
  const valid = cleaned.filter((item) => isValue(item) && item.length <= MAX_ITEM_LENGTH);
  return [...new Set(valid)].slice(0, MAX_LIST_LENGTH);
}
