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
