// The texts of the list of uploads, and how it shows sizes and times.
/** @import { UploadTranslations } from '../i18n/translations.ts' */
import { byId, fill, zoneName } from './shared.js';

const { dataset } = byId('drop');
/** @type {UploadTranslations['scripts']} */
export const texts = JSON.parse(dataset.texts ?? '');
const DAY = 86_400_000;

/**
 * Rounds up, so that a size over the limit is never shown as the limit.
 * @param {number} bytes
 */
export function formatBytes(bytes) {
  const power = bytes < 1024 ? 0 : Math.min(3, Math.floor(Math.log2(bytes) / 10));
  const size = bytes / 1024 ** power;
  const rounded = power < 2 ? Math.ceil(size) : Math.ceil(size * 10) / 10;
  return `${new Intl.NumberFormat(texts.locale).format(rounded)} ${['B', 'KB', 'MB', 'GB'][power]}`;
}

/**
 * `in 23 hours, 21:40 WIB`, as the pages of the server have it.
 * @param {number} ms
 */
export function formatExpiry(ms) {
  const left = ms - Date.now();
  const { timeZone } = dataset;
  /** @type {Intl.DateTimeFormatOptions} */
  const clock = { hour: '2-digit', minute: '2-digit', ...(timeZone && { timeZone }) };
  /** @type {Intl.DateTimeFormatOptions} */
  const day = left < DAY ? {} : { weekday: 'short', day: 'numeric', month: 'short' };
  const at = `${new Intl.DateTimeFormat(texts.locale, { ...day, ...clock }).format(ms)} ${zoneName(ms, timeZone)}`;
  return fill(texts.expiresIn, { left: formatSpan(left / 1000), at });
}

/**
 * Seconds as `23 hours` or `90 minutes`: in the largest unit of which there are at least two.
 * @param {number} seconds
 * @param {'long' | 'narrow'} [style]
 */
export function formatSpan(seconds, style = 'long') {
  const units = { day: 86_400, hour: 3_600, minute: 60, second: 1 };
  const [unit, size] = Object.entries(units).find(([, size]) => seconds >= 2 * size) ?? ['second', 1];
  const format = new Intl.NumberFormat(texts.locale, { style: 'unit', unit, unitDisplay: style });
  return format.format(Math.round(seconds / size));
}

/**
 * What to say of a temporary failure while it lasts; after a 409, only the offset has to be asked for again.
 * @param {number | undefined} status
 * @param {number | undefined} seconds
 */
export function troubleOf(status, seconds = 0) {
  if (status === undefined || status === 409) return '';
  if (status === 0) return texts.waiting;
  return fill(status === 429 ? texts.busy : texts.unavailable, { seconds });
}

/**
 * Why the server refused.
 * @param {number | undefined} status
 */
export function reasonOf(status) {
  /** @type {Record<string, string>} */
  const refusals = texts.refusals;
  return fill(refusals[`${status}`] ?? texts.refusals.other, { max: dataset.maxSize ?? '' });
}
