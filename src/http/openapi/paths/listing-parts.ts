import { CORS, type Content, component, documentAnswers, failures, type Operation } from '../parts.ts';

/** What the paths of the listing have in common. */

export const NOT_LISTED = { 404: 'The anime is in neither listing.' };

/** A document of the listing, or why there is none; `names`: headers beside those that all of them have. */
export function listingAnswers(
  type: string,
  content: Content,
  description: string,
  reasons: Record<number, string> = {},
  names: readonly string[] = [],
): Operation['responses'] {
  return {
    ...documentAnswers(type, content, description, [...CORS, 'Cache-Status', ...names]),
    ...failures({ ...reasons, 503: 'The first refresh has not finished yet.' }),
  };
}

/** Such a document in JSON, by the name of its schema. */
export function jsonAnswers(
  schema: string,
  example: object,
  description: string,
  reasons: Record<number, string> = {},
): Operation['responses'] {
  return listingAnswers('application/json', { schema: component(schema), example }, description, reasons);
}
