// Shows the times of a page in the zone that the visitor has chosen, and counts down to the next episode.
import { lang, load, page, save, texts } from './my-anime.js';

const KEY = 'tayang-zone';
const UNITS = { day: 86_400_000, hour: 3_600_000, minute: 60_000 };
/** The zones of Indonesia. */
const NEAR = ['Asia/Jakarta', 'Asia/Makassar', 'Asia/Jayapura'];
const locale = lang === 'id' ? 'id-ID' : 'en-GB';
const served = page.dataset.timeZone;
let zone = isZone(load(KEY)) ? load(KEY) : served;
let formats = createFormats();

if (zone !== served) showTimes();
startChoice(document.getElementById('Zone'));
countDown();
setInterval(countDown, 30_000);

function isZone(name) {
  try {
    return typeof name === 'string' && Boolean(new Intl.DateTimeFormat(lang, { timeZone: name }));
  } catch {
    return false;
  }
}

function createFormats() {
  const format = (options) => new Intl.DateTimeFormat(locale, { ...options, timeZone: zone });
  const hour = { hour: '2-digit', minute: '2-digit' };
  const day = { weekday: 'short', day: 'numeric', month: 'short' };
  return {
    hour: format(hour),
    weekday: format({ weekday: 'short' }),
    date: new Intl.DateTimeFormat('en-CA', { timeZone: zone }),
    moment: format({ ...day, ...hour, timeZoneName: 'short' }),
  };
}

/**
 * Shows a time in the chosen zone: in a row the hour, with its day of the week unless that is the day of the row. `day`:
 * `2026-11-20`.
 */
export function showTime(time, day = time.closest('[data-date]')?.dataset.date) {
  const at = new Date(time.dateTime);
  if (!time.closest('li[data-slug]')) {
    time.textContent = formats.moment.format(at);
    return;
  }
  const isWindow = !time.closest('.hour');
  const weekday = isWindow || formats.date.format(at) === day ? '' : `${formats.weekday.format(at)} `;
  time.textContent = weekday + formats.hour.format(at);
}

function showTimes() {
  for (const time of document.querySelectorAll('time')) showTime(time);
}

function startChoice(select) {
  if (!select) return;
  const device = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const first = new Set([served, device, ...NEAR, zone]);
  const others = Intl.supportedValuesOf('timeZone').filter((name) => !first.has(name));
  select.replaceChildren(...[...first, ...others].map((name) => new Option(labelOf(name, device), name)));
  select.value = zone;
  select.addEventListener('change', () => {
    zone = select.value;
    save(KEY, zone);
    formats = createFormats();
    showTimes();
  });
}

/** `WIB`, `Perangkat ini (Tokyo)`, `Europe/Paris` */
function labelOf(name, device) {
  const city = name.split('/').at(-1).replaceAll('_', ' ');
  if (NEAR.includes(name)) return ['WIB', 'WITA', 'WIT'][NEAR.indexOf(name)];
  return name === device ? `${texts.thisDevice} (${city})` : name;
}

/** `2 hari 3 jam lagi`, until the time is there. */
function countDown() {
  const target = document.getElementById('Countdown');
  if (!target) return;
  const left = Date.parse(target.parentElement.querySelector('time').dateTime) - Date.now();
  const units = Object.keys(UNITS).filter((unit) => left >= UNITS[unit]);
  const parts = units.slice(0, 2).map((unit, index) => {
    const rest = index === 0 ? left : left % UNITS[units[0]];
    const value = Math.floor(rest / UNITS[unit]);
    const format = { style: 'unit', unit, unitDisplay: 'long' };
    return value > 0 ? new Intl.NumberFormat(locale, format).format(value) : '';
  });
  target.textContent =
    parts.length === 0 ? texts.soon : texts.countdown.replace('{left}', parts.join(' ').trim());
}
