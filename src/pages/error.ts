import { html } from './html.ts';
import { renderLayout } from './layout.ts';

/** A heading for each status, for people who do not know the numbers. */
const HEADINGS: Record<number, string> = {
  404: 'Nothing here',
  410: 'It has expired',
  413: 'Too large',
  429: 'Too many at once',
  503: 'Not at the moment',
  507: 'No room left',
};

/** The page of an error at the uploads' origin. */
export function renderErrorPage(status: number, message: string): string {
  const heading = HEADINGS[status] ?? (status < 500 ? 'That did not work' : 'Something went wrong');
  return renderLayout({
    title: heading,
    body: html`<h1>${heading}</h1>
<p class="lead">${asSentence(message)}</p>
<p><a class="button" href="/">To the front page</a></p>
<p class="quiet">Error ${status}</p>`,
  });
}

/** Messages start with a small letter and have no full stop, because programs print them after a prefix. */
function asSentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
