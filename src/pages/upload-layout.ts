import { html } from './html.ts';
import type { UploadTranslations } from './i18n/translations.ts';
import { type Layout, renderLayout } from './layout.ts';

/** The frame of a page of the uploads: it names the operator's contact where there is one. */
export function renderUploadPage(
  { language, contact, operator }: UploadTranslations,
  page: Omit<Layout, 'language' | 'footer'>,
): string {
  const footer = operator ? html`<a href="${operator}">${contact}</a>` : undefined;
  return renderLayout({ ...page, language, footer });
}
