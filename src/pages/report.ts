import { MAX_NOTE_LENGTH, REPORT_REASONS } from '../domain/file-report.ts';
import { fill, html } from './html.ts';
import type { UploadTranslations } from './i18n/translations.ts';
import { renderMessage, renderUploadPage } from './layout.ts';

/** A file, or a collection of several. */
export interface Reportable {
  id: string;
  /** As `displayName` returns them. */
  names: readonly string[];
  isCollection: boolean;
}

/** The form that reports a file or a collection to the operator. It works without JavaScript. */
export function renderReportPage(reported: Reportable, texts: UploadTranslations): string {
  const { language, report, collection } = texts;
  const { id, names, isCollection } = reported;
  const [name = ''] = names;
  const heading = isCollection ? collection.report : report.heading;
  return renderUploadPage(texts, {
    title: isCollection ? heading : fill(report.title, { name }).text,
    body: html`<h1>${heading}</h1>
${names.map((one) => html`<p class="lead name" dir="auto">${one}</p>\n`)}<p>${report.lead}</p>
<form class="card" method="post" action="/r/${id}?lang=${language}">
<fieldset>
<legend><b>${report.reason}</b></legend>
${REPORT_REASONS.map(
  (reason) =>
    html`<label class="check"><input type="radio" name="reason" value="${reason}" required> ${report.reasons[reason]}</label>
`,
)}</fieldset>
<label for="note"><b>${report.note}</b></label>
<textarea id="note" name="note" rows="5" maxlength="${MAX_NOTE_LENGTH}" aria-describedby="hint"></textarea>
<p id="hint" class="quiet">${report.noteHint}</p>
<button>${report.send}</button>
</form>
<p><a href="${pageOf(reported, texts)}">${report.back}</a></p>`,
  });
}

/** The answer to that form. */
export function renderReportedPage(reported: Omit<Reportable, 'names'>, texts: UploadTranslations): string {
  const { report } = texts;
  return renderUploadPage(texts, {
    title: report.thanks,
    address: null,
    body: renderMessage(report.thanks, report.thanksLead, [pageOf(reported, texts), report.back]),
  });
}

function pageOf({ id, isCollection }: Omit<Reportable, 'names'>, { language }: UploadTranslations): string {
  return `/${isCollection ? 'c/' : ''}${id}?lang=${language}`;
}
