import { MAX_NOTE_LENGTH, REPORT_REASONS } from '../domain/file-report.ts';
import { fill, html } from './html.ts';
import type { UploadTranslations } from './i18n/uploads.ts';
import { renderLanguages, renderLayout } from './layout.ts';

/** The form that reports a file to the operator. It works without JavaScript. */
export function renderReportPage(name: string, id: string, texts: UploadTranslations): string {
  const { language, report } = texts;
  return renderLayout({
    title: fill(report.title, { name }).text,
    language,
    nav: renderLanguages(language),
    body: html`<h1>${report.heading}</h1>
<p class="lead name" dir="auto">${name}</p>
<p>${report.lead}</p>
<form class="card report" method="post" action="/r/${id}?lang=${language}">
<fieldset>
<legend>${report.reason}</legend>
${REPORT_REASONS.map(
  (reason) =>
    html`<label><input type="radio" name="reason" value="${reason}" required> ${report.reasons[reason]}</label>
`,
)}</fieldset>
<label for="note">${report.note}</label>
<textarea id="note" name="note" rows="5" maxlength="${MAX_NOTE_LENGTH}" aria-describedby="hint"></textarea>
<p id="hint" class="quiet">${report.noteHint}</p>
<button>${report.send}</button>
</form>
<p><a href="/${id}?lang=${language}">${report.back}</a></p>`,
  });
}

/** The answer to that form. */
export function renderReportedPage(id: string, { language, report }: UploadTranslations): string {
  return renderLayout({
    title: report.thanks,
    language,
    body: html`<h1>${report.thanks}</h1>
<p class="lead">${report.thanksLead}</p>
<p><a class="button" href="/${id}?lang=${language}">${report.back}</a></p>`,
  });
}
