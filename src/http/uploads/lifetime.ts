import { AppError } from '../../domain/errors.ts';
import { parseDuration } from '../../domain/units.ts';

/** Parses a duration such as `1h` that may be given once; ms, undefined where it is not given. */
export function parseLifetime(values: readonly unknown[]): number | undefined {
  const [value, ...others] = values;
  if (values.length === 0) return undefined;
  const lifetimeMs = typeof value === 'string' && others.length === 0 ? parseDuration(value) : undefined;
  if (lifetimeMs) return lifetimeMs;
  throw new AppError('invalid-request', 'expires must be given once, as a duration such as 30m, 1h or 1d');
}
