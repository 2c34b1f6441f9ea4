import { type Markup, type Mutation, readMarkup } from '../markup.ts';
import { breakAttributes } from './attributes.ts';
import { moveCards } from './cards.ts';
import { renameClasses } from './classes.ts';
import { breakElements } from './elements.ts';
import { garbleFields } from './fields.ts';
import { tear } from './tears.ts';

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
