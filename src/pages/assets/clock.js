// Shows the times of a page in the zone that the visitor has chosen, and counts down to what comes next.
import { lang, page, texts } from './my-anime.js';
import { fill, load, save, zoneName } from './shared.js';

const KEY = 'tayang-zone';
const [SECOND, HOUR, DAY] = [1_000, 3_600_000, 86_400_000];
/** The zones of Indonesia. */
const NEAR = { 'Asia/Jakarta': 'WIB', 'Asia/Makassar': 'WITA', 'Asia/Jayapura': 'WIT' };
const locale = lang === 'id' ? 'id-ID' : 'en-GB';
const served = page.dataset.timeZone;
const device = new Intl.DateTimeFormat().resolvedOptions().timeZone;
/** Each zone to choose, the likely ones first. */
const zones = [...new Set([served, device, ...Object.keys(NEAR), ...Intl.supportedValuesOf('timeZone')])];
let zone = zones.includes(load(KEY)) ? load(KEY) : served;
let formats = createFormats();

if (zone !== served) showTimes();
startChoice(document.getElementById('Zone'));
countDown();
setInterval(countDown, SECOND);

function createFormats() {
  const format = (options) => new Intl.DateTimeFormat(locale, { ...options, timeZone: zone });
  const hour = { hour: '2-digit', minute: '2-digit' };
  return {
    hour: format(hour),
    weekday: format({ weekday: 'short' }),
    date: new Intl.DateTimeFormat('en-CA', { timeZone: zone }),
    moment: format({ weekday: 'short', day: 'numeric', month: 'short', ...hour }),
  };
}

/**
 * Shows a time in the chosen zone: where the page names a day, the hour, with its day of the week unless it is that day.
 */
export function showTime(time) {
  const day = time.closest('.day[data-date]')?.dataset.date ?? page.dataset.date;
  const at = new Date(time.dateTime);
  const weekday = !day || formats.date.format(at) === day ? '' : `${formats.weekday.format(at)} `;
  const hasHourOnly = time.dataset.hour !== undefined;
  time.textContent = hasHourOnly
    ? weekday + formats.hour.format(at)
    : `${formats.moment.format(at)} ${zoneName(at, zone)}`;
}

function showTimes() {
  for (const time of document.querySelectorAll('time')) showTime(time);
}

function startChoice(select) {
  if (!select) return;
  select.replaceChildren(...zones.map((name) => new Option(labelOf(name), name)));
  select.value = zone;
  select.addEventListener('change', () => {
    zone = select.value;
    save(KEY, zone);
    formats = createFormats();
    showTimes();
  });
}

/** `WIB`, `Perangkat ini (Tokyo)`, `Europe/Paris` */
function labelOf(name) {
  const city = name.split('/').at(-1).replaceAll('_', ' ');
  return NEAR[name] ?? (name === device ? `${texts.thisDevice} (${city})` : name);
}

/** Shows how long it is to each of the next episodes. */
export function countDown() {
  for (const target of document.querySelectorAll('.countdown')) {
    const time = target.closest('li, .up-next').querySelector('.hour time');
    target.textContent = time ? formatLeft(Date.parse(time.dateTime) - Date.now()) : '';
  }
}

/** `2 hari 3 jam lagi`, `1:07:32 lagi`, until the time is there. */
function formatLeft(ms) {
  if (ms <= 0) return texts.soon;
  const [days, hours] = [Math.floor(ms / DAY), Math.floor((ms % DAY) / HOUR)];
  const minutes = new Date(ms).toISOString().slice('1970-01-01T00:'.length, -'.000Z'.length);
  if (days === 0) return fill(texts.countdown, { left: `${hours}:${minutes}` });
  const name = (value, unit) =>
    new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
  const left = hours === 0 ? name(days, 'day') : `${name(days, 'day')} ${name(hours, 'hour')}`;
  return fill(texts.countdown, { left });
}
