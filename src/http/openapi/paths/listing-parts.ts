import {
  CORS_HEADERS,
  type Content,
  component,
  documentResponses,
  failures,
  type Operation,
} from '../parts.ts';

/** What the paths of the listing have in common. */

export const NOT_LISTED = { 404: 'The anime is in neither listing.' };

/** A document of the listing, or why there is none; `headerNames`: headers beside those that all of them have. */
export function listingResponses(
  type: string,
  content: Content,
  description: string,
  reasons: Record<number, string> = {},
  headerNames: readonly string[] = [],
): Operation['responses'] {
  return {
    ...documentResponses(type, content, description, [...CORS_HEADERS, 'Cache-Status', ...headerNames]),
    ...failures({ ...reasons, 503: 'The first refresh has not finished yet.' }),
  };
}

/** Such a document in JSON, by the name of its schema. */
export function jsonResponses(
  schema: string,
  example: object,
  description: string,
  reasons: Record<number, string> = {},
): Operation['responses'] {
  return listingResponses('application/json', { schema: component(schema), example }, description, reasons);
}
