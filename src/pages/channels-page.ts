import { fill, type Html, html } from './html.ts';
import type { Translations } from './i18n/translations.ts';
import { renderLayout, renderMessage } from './layout.ts';
import { renderFooter } from './listing-page.ts';

export interface ChannelsPage {
  /** The anime whose page led here. */
  anime?: { slug: string; title: string } | undefined;
  /** Why the form was not accepted. */
  problem?: { status: number; message: string } | undefined;
}

const STYLES = ['listing.css', 'channels.css'];

/** Three steps to announcements in a channel. The form works without the script, which knows what this browser follows. */
export function renderChannelsPage({ anime, problem }: ChannelsPage, texts: Translations): string {
  const { language, channels } = texts;
  const query = anime ? `?anime=${encodeURIComponent(anime.slug)}` : '';
  const address = `/channels${query}`;
  const action = `${address}${query ? '&' : '?'}lang=${language}`;
  return renderLayout({
    title: channels.title,
    language,
    address,
    styles: STYLES,
    modules: ['channels.js'],
    isListed: true,
    footer: renderFooter(texts),
    body: html`<h1>${channels.title}</h1>
<p class="lead">${channels.lead}</p>
${problem ? renderProblem(problem, texts) : []}<form method="post" action="${action}">
<ol class="steps">
<li class="card"><h2>${channels.copyHeading}</h2>
<p>${channels.copy}</p></li>
<li class="card"><fieldset>
<legend><h2>${channels.choose}</h2></legend>
${renderChoice('all', channels.chooseAll, !anime)}${anime ? renderChoice(anime.slug, fill(channels.chooseOne, { title: anime.title }), true) : []}<div id="Followed" class="live" hidden>${renderChoice('followed', channels.chooseFollowed, false)}<input type="hidden" name="followed"></div>
</fieldset></li>
<li class="card"><h2>${channels.pasteHeading}</h2>
${renderAddress('Start', texts)}<button name="action" value="start">${channels.start}</button></li>
</ol>
</form>
<details class="fold"><summary><h2>${channels.stopHeading}</h2></summary>
<form method="post" action="${action}">
<p>${channels.stopLead}</p>
${renderAddress('Stop', texts)}<button class="plain" name="action" value="stop">${channels.stop}</button>
</form></details>
<details class="fold"><summary><h2>${channels.privacyHeading}</h2></summary>
<p>${channels.privacy}</p></details>`,
  });
}

function renderChoice(value: string, label: string | Html, isChosen: boolean): Html {
  return html`<label class="check"><input type="radio" name="what" value="${value}"${isChosen ? html` checked` : []}> <span>${label}</span></label>
`;
}

/** The address is a secret, so it is never in the page, not even in one that refuses it. */
function renderAddress(id: string, { channels }: Translations): Html {
  return html`<label for="${id}"><b>${channels.address}</b></label>
<input id="${id}" name="url" type="url" required autocomplete="off" spellcheck="false" inputmode="url" placeholder="https://discord.com/api/webhooks/…">
`;
}

function renderProblem({ status, message }: NonNullable<ChannelsPage['problem']>, texts: Translations): Html {
  const { errors } = texts.channels;
  const text = errors[String(status) as keyof typeof errors] ?? errors.other;
  return html`<section class="card trouble" role="alert">
<p>${text}</p>
<details class="quiet"><summary>${texts.details}</summary><code lang="en">${message}</code></details>
</section>
`;
}

/** The answer to the form. */
export function renderChannelDone(isStop: boolean, texts: Translations): string {
  const { language, channels } = texts;
  const [heading, lead] = isStop
    ? [channels.stoppedHeading, channels.stopped]
    : [channels.startedHeading, channels.started];
  return renderLayout({
    title: heading,
    language,
    address: null,
    styles: STYLES,
    footer: renderFooter(texts),
    body: renderMessage(heading, lead, [`/channels?lang=${language}`, channels.again]),
  });
}
