import { invalidRequest } from '../../domain/errors.ts';

/** The value of a parameter; undefined without it. Throws AppError `invalid-request` where it is given twice. */
export function singleParameter(query: string | URLSearchParams, name: string): string | undefined {
  const parameters = typeof query === 'string' ? new URLSearchParams(query) : query;
  const [value, ...others] = parameters.getAll(name);
  if (others.length === 0) return value;
  throw invalidRequest(`${name} must be given once`);
}
