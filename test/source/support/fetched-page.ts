import type { FetchedPage } from '../../../src/source/fetched-page.ts';
import { validatePage } from '../../../src/source/validate-page.ts';
import { parseOngoing } from '../../support/parse-pages.ts';

/** A response of the fetcher, by default with status 200 and without special headers. */
export function fetchedPage(html: string, differences: Partial<FetchedPage> = {}): FetchedPage {
  return {
    url: 'https://otakudesu.example/ongoing-anime/',
    status: 200,
    html,
    isUtf8: true,
    validators: {},
    challenged: false,
    retryAfterMs: undefined,
    ...differences,
  };
}

/** Validates a response as a page of the ongoing list. */
export function recogniseAs(page: FetchedPage) {
  return validatePage(page, () => parseOngoing(page.html, page.url));
}
