import { toIso } from '../../domain/units.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Entry } from './entry.ts';

/** XML cannot contain these characters, not even escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression removes them
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/gu;

export interface ShownFeed {
  title: string;
  /** Address of the feed itself. */
  self: string;
  /** Address of the page that shows the same. */
  page: string;
  entries: readonly Entry[];
  /** Ms since 1970. */
  updatedAt: number;
}

/** RFC 4287, with Media RSS for the covers: readers show them from the thumbnail or from the content. */
export function renderAtom({ title, self, page, entries, updatedAt }: ShownFeed): string {
  const feed = html`<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/" xml:lang="id">
<id>${self}</id>
<title>${title}</title>
<updated>${toIso(updatedAt)}</updated>
<author><name>Tayang</name></author>
<link rel="self" type="application/atom+xml" href="${self}"/>
<link rel="alternate" type="text/html" href="${page}"/>
${entries.map(renderEntry)}</feed>
`;
  return `<?xml version="1.0" encoding="utf-8"?>\n${feed}`.replace(UNWRITABLE, '');
}

function renderEntry({ id, title, text, page, link, at, updatedAt, image }: Entry): Html {
  return html`<entry>
<id>${id}</id>
<title>${title}</title>
<published>${toIso(at)}</published>
<updated>${toIso(updatedAt)}</updated>
<link rel="alternate" type="text/html" href="${page}"/>
${link === undefined ? [] : html`<link rel="via" type="text/html" href="${link}"/>\n`}${image ? renderCover(image, text) : html`<content type="text">${text}</content>`}
</entry>
`;
}

/** The content is HTML as text, which is escaped once more. */
function renderCover(image: string, text: string): Html {
  const content = html`<p><img src="${image}" alt=""></p><p>${text}</p>`;
  return html`<media:thumbnail url="${image}"/>
<content type="html">${String(content)}</content>`;
}
