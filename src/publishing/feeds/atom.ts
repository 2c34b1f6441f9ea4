import { type Html, html } from '../../pages/html.ts';
import type { Entry } from './entry.ts';

/** What XML cannot hold, not even escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/gu;

/** RFC 4287. `updatedAt`: ms since 1970. */
export function renderAtom(entries: readonly Entry[], url: string, updatedAt: number): string {
  const feed = html`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="id">
<id>${url}/feeds/episodes.atom</id>
<title>Tayang: episode baru</title>
<updated>${iso(updatedAt)}</updated>
<author><name>Tayang</name></author>
<link rel="self" type="application/atom+xml" href="${url}/feeds/episodes.atom"/>
<link rel="alternate" type="text/html" href="${url}/"/>
${entries.map(renderEntry)}</feed>
`;
  return `<?xml version="1.0" encoding="utf-8"?>\n${feed}`.replace(UNWRITABLE, '');
}

function renderEntry({ id, title, text, link, at }: Entry): Html {
  return html`<entry>
<id>${id}</id>
<title>${title}</title>
<updated>${iso(at)}</updated>
<link rel="alternate" type="text/html" href="${link}"/>
<content type="text">${text}</content>
</entry>
`;
}

const iso = (ms: number) => new Date(ms).toISOString();
