import { expiryOf, type UploadId } from '../../domain/upload.ts';

const HOUR = /^\d{4}-\d\d-\d\dT\d\d$/;

/** The UTC hour of a time in ms since 1970: `2026-08-15T21`. Hours sort as their times do. */
export function expiryHourOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 13);
}

/** `2026-08-15T21/<id>`: the place of an id in its hour. */
export function placeOf(id: UploadId): string {
  return `${expiryHourOf(expiryOf(id))}/${id}`;
}

export function isExpiryHour(name: string): boolean {
  return HOUR.test(name);
}
