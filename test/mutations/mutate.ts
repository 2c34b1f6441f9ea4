import { type Markup, type Mutation, readMarkup } from './markup.ts';
import { moveCards } from './mutators/cards.ts';
import { cutOff } from './mutators/cut-off.ts';
import { breakAttributes, breakElements, renameClasses } from './mutators/elements.ts';
import { garbleFields } from './mutators/fields.ts';

const MUTATORS: ((page: Markup) => Iterable<Mutation>)[] = [
  renameClasses,
  breakElements,
  breakAttributes,
  moveCards,
  garbleFields,
  cutOff,
];

/** Every broken page that comes of this one. */
export function mutationsOf(html: string): Mutation[] {
  const page = readMarkup(html);
  return MUTATORS.flatMap((mutate) => [...mutate(page)]);
}
