import type Router from '@koa/router';
import { createTimes } from '../../pages/formats.ts';
import { type Language, TRANSLATIONS } from '../../pages/i18n/translations.ts';
import { renderStatusPage } from '../../pages/status-page.ts';
import { COMPRESSED_LATER, type Document, renderDocument } from '../../publishing/document.ts';
import type { ListingView } from '../health.ts';
import { chooseLanguage } from '../negotiate.ts';
import { pageContent } from '../page-documents.ts';
import type { SendDocument } from './send.ts';

interface StatusPageOptions {
  view: ListingView;
  timeZone: string;
  send: SendDocument;
}

/** The state of the source before the crawler's first report. */
const UNKNOWN_SOURCE = {
  state: null,
  since: null,
  reason: null,
  readAt: null,
  unchangedSince: null,
  standsStill: false,
  pending: null,
  days: [],
};

/** The route of the status page: rendered for each request, because it says how the source is now. */
export function routeStatusPage(router: Router, { view, timeZone, send }: StatusPageOptions): void {
  /** The last page in each language. Usually nothing has changed, so it is sent again, already compressed. */
  const sent = new Map<Language, Document>();

  router.get('/status', (ctx) => {
    const state = view.state();
    const page = {
      source: state?.source ?? UNKNOWN_SOURCE,
      nextAttempt: state?.nextAttempt ?? null,
      changedAt: state?.snapshot?.changedAt ?? null,
      lateness: view.edition()?.lateness ?? [],
      now: view.now(),
    };
    const language = chooseLanguage(ctx.querystring, ctx.req.headers);
    const texts = TRANSLATIONS[language];
    const text = renderStatusPage(page, { texts, times: createTimes(texts.locale, timeZone) });
    const content = {
      ...pageContent('/status', language, text),
      ...COMPRESSED_LATER,
      cacheControl: 'no-cache',
    };
    const document = renderDocument(content, view.now(), sent.get(language));
    sent.set(language, document);
    send(ctx, document);
  });
}
