import { type Markup, type Mutation, readMarkup } from './markup.ts';
import { breakAttributes } from './mutators/attributes.ts';
import { moveCards } from './mutators/cards.ts';
import { renameClasses } from './mutators/classes.ts';
import { breakElements } from './mutators/elements.ts';
import { garbleFields } from './mutators/fields.ts';
import { tear } from './mutators/tears.ts';

const MUTATORS: ((page: Markup) => Iterable<Mutation>)[] = [
  renameClasses,
  breakElements,
  breakAttributes,
  moveCards,
  garbleFields,
  tear,
];

/** Every broken page that comes of this one. */
export function mutationsOf(html: string): Mutation[] {
  const page = readMarkup(html);
  return MUTATORS.flatMap((mutate) => [...mutate(page)]);
}
