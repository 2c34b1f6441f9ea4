import type { OngoingAnime } from '../domain/listing.ts';
import { datedBefore, MONTHS, sourceDate, startOfSourceDate } from '../domain/source-date.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/units.ts';
import { escapeTitle, renderFrame } from './pages.ts';

/** The months as the rows of episodes have them. */
const LONG_MONTHS =
  'Januari Februari Maret April Mei Juni Juli Agustus September Oktober November Desember'.split(' ');
const GENRES = ['Action', 'Adventure', 'Comedy', 'Drama', 'Fantasy', 'Mystery', 'Sports', 'Supernatural'];
const STUDIOS = ['Studio Daun', 'Rumah Awan', 'Bengkel Cahaya'];
const MAX_ROWS = 12;
/** An anime without an episode for longer has ended. */
const MAX_PAUSE_MS = 8 * DAY_MS;

/** The page of an anime with its episodes: a weekly one, the newest at the same hour as those before. */
export function renderSampleAnimePage(origin: string, anime: OngoingAnime, now: number): string {
  const { title, slug, episode, image, date } = anime;
  const seed = [...slug].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  const newest = datedBefore(date, now);
  const hasEnded = now - startOfSourceDate(newest) > MAX_PAUSE_MS;
  const hour = startOfSourceDate(newest) + 10 * HOUR_MS + (seed % 700) * MINUTE_MS;
  const publishedAt = presentMoment(Math.max(startOfSourceDate(newest), Math.min(hour, now - MINUTE_MS)));
  const days = Array.from({ length: Math.min(episode, MAX_ROWS) }, (_, weeks) => weeks);
  const rows = days.map((weeks) =>
    renderRow(origin, anime, episode - weeks, sourceDate(startOfSourceDate(newest) - weeks * 7 * DAY_MS)),
  );
  const genres = [seed % 8, (seed + 3) % 8].map((index) => GENRES[index] ?? '');
  const name = escapeTitle(title);
  const src = new URL(image, origin).href;
  const facts: [string, string][] = [
    ['Judul', name],
    ['Japanese', `見本 ${seed}`],
    ['Skor', (6 + (seed % 30) / 10).toFixed(2)],
    ['Produser', 'Penerbit Rimba, Awan Media'],
    ['Tipe', 'TV'],
    ['Status', hasEnded ? 'Completed' : 'Ongoing'],
    ['Total Episode', hasEnded ? String(episode) : presentTotal(seed, episode)],
    ['Durasi', '24 Min.'],
    ['Tanggal Rilis', presentStart(startOfSourceDate(newest) - (episode - 1) * 7 * DAY_MS)],
    ['Studio', STUDIOS[seed % STUDIOS.length] ?? ''],
    [
      'Genre',
      genres
        .map((genre) => `<a href="${origin}/genres/${genre.toLowerCase()}/" rel="tag">${genre}</a>`)
        .join(', '),
    ],
  ];
  const info = facts.map(([label, value]) => `<p><span><b>${label}</b>: ${value}</span></p>`).join('');
  const block = (heading: string, items: string[]) =>
    `<div id="serieslist"></div><div class="episodelist"><div class="smokelister"><span class="monktit">${name} ${heading}</span></div><ul>${items.join('')}</ul></div>`;
  const head = ['article:published_time', 'article:modified_time', 'og:updated_time']
    .map((property) => `<meta property="${property}" content="${publishedAt}" />`)
    .join('');
  return renderFrame(
    `${name} Subtitle Indonesia`,
    `<div class="venser"><div class='jdlrx'><h1>${name} Subtitle Indonesia <span style='float:right;font-size:12px'><i class='fa fa-eye'></i></span></h1></div><div class='fotoanime'><img src="${src}" class="attachment-post-thumbnail size-post-thumbnail wp-post-image" alt="${name} Sub Indo" /><div class="infozin"><div class="infozingle">${info}</div></div><div class='sinopc'><p>Cerita contoh tentang ${name}.</p></div></div><div class='clear'></div>${block('Batch', [])}${block('Episode List', rows)}${block('Lengkap', [])}</div>`,
    head,
  );
}

function renderRow(origin: string, { title, slug }: OngoingAnime, episode: number, date: string): string {
  const [year, month, day] = date.split('-');
  const link = `${origin}/episode/${slug}-episode-${episode}/`;
  return `<li><span><a href="${link}">${escapeTitle(title)} Episode ${episode} Subtitle Indonesia</a></span><span class='zeebr' style='float:right'>${Number(day)} ${LONG_MONTHS[Number(month) - 1]},${year}</span></li>`;
}

function presentTotal(seed: number, episode: number): string {
  return seed % 5 === 0 ? 'Unknown' : String(Math.max(12, episode + 2));
}

/** `2026-02-11T23:40:47+07:00` */
function presentMoment(ms: number): string {
  return `${new Date(ms + 7 * HOUR_MS).toISOString().slice(0, 19)}+07:00`;
}

/** `Jan 08, 2026` */
function presentStart(ms: number): string {
  const [year, month, day] = sourceDate(ms).split('-');
  return `${MONTHS[Number(month) - 1]} ${day}, ${year}`;
}
