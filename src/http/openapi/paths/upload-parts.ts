import * as examples from '../examples.ts';
import { answer, CORS, failures, type Operation, PAGE, type Parameter, TEXT, UNKEPT } from '../parts.ts';

/** What the paths of files have in common. */

export const GONE = {
  404: 'The file never existed, or it was deleted.',
  410: 'The file has expired, or the operator has removed it.',
  451: 'The operator has removed the file for legal reasons.',
  503: 'The storage cannot be reached.',
};

export const fromPath = (name: string, description: string, example: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});
export const ID = fromPath('id', 'The name of the file in its addresses.', examples.ID);

/** A page about a file, or why there is none. */
export function filePage(description: string): Operation['responses'] {
  return {
    200: answer('text/html', TEXT, description, [...CORS, ...PAGE, ...UNKEPT]),
    ...failures(GONE),
  };
}
