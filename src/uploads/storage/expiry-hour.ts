import { expiryOf } from '../../domain/upload.ts';

const HOUR = /^\d{4}-\d\d-\d\dT\d\d$/;

/** The UTC hour of a time in ms since 1970: `2026-08-15T21`. Hours sort as their times do. */
export function expiryHourOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 13);
}

/** `2026-08-15T21/<id>`: the place of an id in its hour. Undefined for anything that is not an id. */
export function placeOf(id: string): string | undefined {
  const expiresAt = expiryOf(id);
  return expiresAt === undefined ? undefined : `${expiryHourOf(expiresAt)}/${id}`;
}

export function isExpiryHour(name: string): boolean {
  return HOUR.test(name);
}
