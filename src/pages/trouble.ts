import type { SourceState, Status } from '../crawler/source-state.ts';
import { fill, type Html, html } from './html.ts';
import type { Translations } from './i18n/translations.ts';
import type { Times } from './times.ts';

/** Why the listing is stale; times in ms since 1970. */
export interface Trouble {
  state: Exclude<SourceState, 'ok'>;
  since: number;
  /** The time of the last good crawl. */
  lastGoodAt: number;
}

/** Undefined while the source is ok, and before the first attempt. */
export function troubleOf(
  { state, since, refreshedAt }: Pick<Status, 'state' | 'since' | 'refreshedAt'>,
  now: number,
): Trouble | undefined {
  if (state === null || state === 'ok') return undefined;
  return { state, since: since ?? now, lastGoodAt: refreshedAt ?? since ?? now };
}

/** The notice on a page whose data is stale; empty when it is not. */
export function renderTrouble(
  trouble: Trouble | undefined,
  { texts, times }: { texts: Translations; times: Times },
): Html {
  if (!trouble) return html``;
  const { heading, why } = texts.stale[trouble.state];
  const since = times.moment(trouble.since);
  const good = times.moment(trouble.lastGoodAt);
  return html`<section class="card trouble" aria-labelledby="Trouble">
<h2 id="Trouble">${heading}</h2>
<p>${fill(why, { since })} ${fill(texts.staleCopy, { good })}</p>
</section>
`;
}
