import type { Listing } from '../../domain/listing.ts';
import type { FieldFormat } from '../field-format.ts';
import type { Page } from '../markup/page.ts';

/** The selectors of one kind of page, by name. */
export type Selectors = Readonly<Record<string, string>>;

/** An anime as the last good listing has it on this kind of page. */
export interface KnownAnime {
  readonly slug: string;
  readonly [key: string]: unknown;
}

export interface FieldModel {
  /** The name of its selector, and of the property of a record that it fills. */
  name: string;
  format: FieldFormat<unknown>;
  /** Whether the value is plausible after the last good one; `now` has this field and those before it in the model. */
  isPlausible(now: KnownAnime, before: KnownAnime): boolean;
  /** Whether each anime has a value of its own, so that a card with the value of another anime contradicts itself. */
  isUnique?: boolean;
  /** Whether an editor may write words in its place, which say nothing against a location. */
  mayHaveWords?: boolean;
}

/** One kind of page of a site: its parser, and the fields that a repair of its selectors must find. */
export interface PageModel<Parsed> {
  /** Comes before the names of its selectors in messages for the operator. */
  prefix: string;
  /** `list` is the element that contains all cards, and `card` a card in it. The others select the fields. */
  selectors: Selectors;
  /** Throws an AppError like `read`. */
  open(html: string): Page;
  /** Throws AppError `source-moved` or `source-changed`. */
  read(page: Page, pageUrl: string, selectors: Selectors): Parsed;
  /** The anime of a listing that are on such a page, by slug. */
  knownFrom(listing: Listing): ReadonlyMap<string, KnownAnime>;
  /** The records of a parsed page, and the number of its unreadable cards. */
  count(parsed: Parsed): { records: KnownAnime[]; unreadable: number };
  fields: readonly FieldModel[];
  /** The field that all cards of a group take from its heading, which is found by its text. */
  groupField?: Pick<FieldModel, 'name' | 'isPlausible'>;
}
