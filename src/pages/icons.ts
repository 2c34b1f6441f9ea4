import { type Html, html } from './html.ts';

/** Drawn as lines in the colour of the text, 24 by 24. */
const PATHS = {
  star: 'm12 3 2.8 5.7 6.2.9-4.5 4.4 1.1 6.2L12 17.3l-5.6 2.9 1.1-6.2L3 9.6l6.2-.9z',
  bell: 'M6 10a6 6 0 0 1 12 0c0 6 2 7 2 7H4s2-1 2-7M10 20.5h4',
  calendar: 'M4 6h16v14H4zM4 10.5h16M8.5 3v4.5M15.5 3v4.5',
  share: 'M12 15.5V3.5M7.5 8 12 3.5 16.5 8M5 13v7.5h14V13',
};
export type Icon = keyof typeof PATHS;

/** A drawing beside a text that says the same. */
export function renderIcon(name: Icon): Html {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${PATHS[name]}"/></svg>`;
}
