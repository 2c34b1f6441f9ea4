import { invalidRequest } from '../../domain/errors.ts';

/** The value of a parameter; undefined without it. Throws AppError `invalid-request` where it is given twice. */
export function singleParameter(query: string, name: string): string | undefined {
  const [value, ...others] = new URLSearchParams(query).getAll(name);
  if (others.length === 0) return value;
  throw invalidRequest(`${name} must be given once`);
}
