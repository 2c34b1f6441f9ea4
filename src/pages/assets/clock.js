// Shows the times of a page in the zone of the visitor, says what time it is, and counts down to what comes next.
import { lang, page, texts } from './my-anime.js';
import { fill, findAll, load, save, zoneName } from './shared.js';

const KEY = 'tayang-zone';
const [SECOND, HOUR, DAY] = [1_000, 3_600_000, 86_400_000];
/**
 * The zones of Indonesia.
 * @type {Record<string, string>}
 */
const NEAR = { 'Asia/Jakarta': 'WIB', 'Asia/Makassar': 'WITA', 'Asia/Jayapura': 'WIT' };
const locale = lang === 'id' ? 'id-ID' : 'en-GB';
const served = page.dataset.timeZone;
const device = new Intl.DateTimeFormat().resolvedOptions().timeZone;
/** Each zone to choose, the likely ones first. */
const zones = [...new Set([...Object.keys(NEAR), device, ...Intl.supportedValuesOf('timeZone')])];
/** @param {unknown} name */
const chosenOr = (name) => zones.find((one) => one === name) ?? device;
let zone = chosenOr(load(KEY));
let formats = createFormats();
/**
 * What is called every second.
 * @type {(() => void)[]}
 */
const ticks = [tellTime, countDown];

if (zone !== served) showTimes();
startChoice(document.querySelector('#Zone'));
runTicks();
setInterval(runTicks, SECOND);

function runTicks() {
  for (const one of ticks) one();
}

/** @param {() => void} listener */
export function everySecond(listener) {
  ticks.push(listener);
}

/** @returns {Record<string, Intl.DateTimeFormat>} */
function createFormats() {
  /** @param {Intl.DateTimeFormatOptions} options */
  const format = (options) => new Intl.DateTimeFormat(locale, { ...options, timeZone: zone });
  /** @type {Intl.DateTimeFormatOptions} */
  const clock = { hour: '2-digit', minute: '2-digit' };
  /** @type {Intl.DateTimeFormatOptions} */
  const day = { day: 'numeric', month: 'short' };
  return {
    clock: format(clock),
    shortWeekday: format({ weekday: 'short' }),
    weekday: format({ weekday: 'long' }),
    date: format({ weekday: 'long', ...day }),
    short: format({ weekday: 'short', ...day, ...clock }),
    moment: format({ weekday: 'long', ...day, ...clock }),
    day: new Intl.DateTimeFormat('en-CA', { timeZone: zone }),
  };
}

/**
 * @param {string} name
 * @param {Date | number} at
 */
function format(name, at) {
  return formats[name]?.format(at) ?? '';
}

/**
 * Shows a time in the zone of the visitor: where the page names a day, the hour, with its day of the week unless it is that
 * day.
 * @param {HTMLTimeElement} time
 */
export function showTime(time) {
  const at = new Date(time.dateTime);
  const { format: kind = 'moment' } = time.dataset;
  if (kind === 'hour' || kind === 'estimate')
    time.textContent = formatHour(at, time.closest('.day'), kind === 'estimate');
  else if (kind === 'zone') time.textContent = zoneName(at, zone);
  else time.textContent = kind === 'moment' ? `${format(kind, at)} ${zoneName(at, zone)}` : format(kind, at);
}

/**
 * @param {Date} at
 * @param {Element | null} part the day that the hour stands in
 * @param {boolean} isEstimate
 */
function formatHour(at, part, isEstimate) {
  const day = (part instanceof HTMLElement && part.dataset.date) || page.dataset.date;
  const weekday = !day || format('day', at) === day ? '' : `${format('shortWeekday', at)} `;
  return `${weekday}${isEstimate ? '±' : ''}${format('clock', at)}`;
}

/** @param {ParentNode} [part] */
export function showTimes(part = document) {
  for (const time of findAll(part, 'time')) showTime(/** @type {HTMLTimeElement} */ (time));
}

/** @param {HTMLSelectElement | null} select */
function startChoice(select) {
  if (!select) return;
  select.replaceChildren(...zones.map((name) => new Option(labelOf(name), name)));
  select.value = zone;
  select.addEventListener('change', () => {
    zone = select.value;
    save(KEY, zone === device ? undefined : zone);
    formats = createFormats();
    showTimes();
    runTicks();
  });
}

/**
 * `WIB`, `Tokyo (perangkat ini)`, `Europe/Paris`
 * @param {string} name
 */
function labelOf(name) {
  const city = name.split('/').at(-1)?.replaceAll('_', ' ');
  return NEAR[name] ?? (name === device ? `${city} (${texts.thisDevice})` : name);
}

function tellTime() {
  const now = document.querySelector('#Now span');
  const text = fill(texts.now, { time: format('clock', Date.now()) });
  if (now && now.textContent !== text) now.textContent = text;
}

/** Shows how long it is to each of the next episodes; nothing once their time has passed. */
export function countDown() {
  for (const target of findAll(document, '.countdown')) {
    const time = target.closest('li')?.querySelector('.hour time');
    const at = target.dataset.at ?? (time instanceof HTMLTimeElement ? time.dateTime : '');
    target.textContent = formatLeft(Date.parse(at) - Date.now());
  }
}

/**
 * `2 hari 3 jam lagi`, `1:07:32 lagi`
 * @param {number} ms
 */
function formatLeft(ms) {
  if (!(ms > 0)) return '';
  const days = Math.floor(ms / DAY);
  const hours = Math.floor((ms % DAY) / HOUR);
  const minutes = new Date(ms).toISOString().slice('1970-01-01T00:'.length, -'.000Z'.length);
  if (days === 0) return fill(texts.countdown, { left: `${hours}:${minutes}` });
  /** @type {(value: number, unit: string) => string} */
  const name = (value, unit) =>
    new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
  const left = hours === 0 ? name(days, 'day') : `${name(days, 'day')} ${name(hours, 'hour')}`;
  return fill(texts.countdown, { left });
}
