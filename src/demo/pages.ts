import { DAYS, type OngoingAnime, PAGE_SIZE } from '../domain/listing.ts';

/** Renders the markup of the source with its quirks: mixed quotes, no white space, a style with the class names. */

export function renderOngoingPage(origin: string, anime: readonly OngoingAnime[], page: number): string {
  const pages = Math.ceil(anime.length / PAGE_SIZE);
  const cards = anime.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE).map((one) => renderCard(origin, one));
  return renderFrame(
    'Anime Ongoing',
    `<div class='venutama'><div class="rseries"><div class="rapi"><div id='rvod' class='rvad'><h1>List & Jadwal Anime Ongoing</h1><div class='iconf'>Anime Terbaru</div></div><div class="venz"><ul>${cards.join('')}</ul></div><div class="clear"></div></div></div><div class="pagination">${renderPager(origin, page, pages)}</div> </div>`,
  );
}

function renderCard(origin: string, { title, episode, day, date, image, slug }: OngoingAnime): string {
  const src = new URL(image, origin).href;
  return `<li><div class='detpost'><div class='epz'><span class="dashicons dashicons-desktop"></span> Episode ${episode}</div><div class='epztipe'><i class='fa fa-star'></i> ${day}</div><div class="newnime">${date.padStart(6, '0')}</div><div class="thumb"><a href="${origin}/anime/${slug}/" title="" data-wpel-link="internal"><span class='overlay flaticon-play-button'></span><div class="thumbz"><img width="106" height="150" src="${src}" class="attachment-thumb size-thumb wp-post-image" alt="${escapeTitle(title)} Sub Indo" loading="lazy" srcset="${src} 225w" sizes="(max-width: 106px) 100vw, 106px" /><h2 class="jdlflm">${escapeTitle(title)}</h2></div></a></div></div></li>`;
}

function renderPager(origin: string, current: number, pages: number): string {
  if (pages <= 1) return '';
  const link = (page: number, text: string, kind = '') =>
    `<a class="${kind}page-numbers" href="${origin}/ongoing-anime/page/${page}/" data-wpel-link="internal">${text}</a>`;
  const neighbours = current > 1 ? 1 : 2;
  const shown = Array.from({ length: pages }, (_, index) => index + 1).filter(
    (page) => page === 1 || page === pages || Math.abs(page - current) <= neighbours,
  );
  const parts = shown.map((page, index) => {
    const gap = page - (shown[index - 1] ?? 0) > 1 ? '<span class="page-numbers dots">&hellip;</span>' : '';
    const one =
      page === current
        ? `<span aria-current="page" class="page-numbers current">${page}</span>`
        : link(page, `${page}`);
    return gap + one;
  });
  const previous = current > 1 ? link(current - 1, '&laquo; Sebelumnya', 'prev ') : '';
  const next = current < pages ? link(current + 1, 'Berikutnya &raquo;', 'next ') : '';
  return `<div class="pagenavix"><span>Pages</span>${previous}${parts.join('')}${next}</div>`;
}

export function renderSchedulePage(origin: string, anime: readonly OngoingAnime[]): string {
  const groups = DAYS.map((day) => {
    const entries = anime.filter((one) => one.day === day).sort((a, b) => (a.title < b.title ? -1 : 1));
    const items = entries.map(({ slug, title }) => {
      const href = `${origin}/anime/${slug}/`;
      return `<li><a href="${href}" title="${href}" data-wpel-link="internal">${escapeTitle(title)}</a></li>`;
    });
    return `<div class="kglist321"><h2>${day}</h2><ul>${items.join('')}</ul></div>`;
  });
  return renderFrame(
    'Jadwal Rilis Anime On-Going',
    `<style>.jdlpot{display:none}.kgjdwl321{overflow:hidden;width:100%}.kglist321{float:left;width:24%}</style><div class="venutama"><div class="page"><div class='jdlpot'><h1>Jadwal Rilis Anime On-Going</h1></div><div class="kgjdwl321"><h1>Jadwal Rilis</h1><center>Note: Jadwal bisa berubah sewaktu-waktu</center>${groups.join('')}</div></div></div>`,
  );
}

/** A page of the source: what all its pages have, around `body`. `head` goes before the title. */
export function renderFrame(title: string, body: string, head = ''): string {
  return `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "https://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd"><html xmlns="https://www.w3.org/1999/xhtml" lang="id-ID"><head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8" />${head}<title>${title}</title></head><BODY><div id="venkonten">${body}<div class="clear"></div></div><div id="sidebar"><div class="section"><h3>Sukai Halamannya ya!</h3></div></div>><script defer src="https://static.cloudflareinsights.com/beacon.min.js"></script>\n</BODY></html>\n<!-- This page is a sample of Tayang's, and no anime in it exists. -->`;
}

/** Escapes a title as WordPress does. */
export function escapeTitle(text: string): string {
  return text
    .replace(/&/gu, '&#038;')
    .replace(/"/gu, '&#8220;')
    .replace(/'/gu, '&#8217;')
    .replace(/</gu, '&lt;');
}
