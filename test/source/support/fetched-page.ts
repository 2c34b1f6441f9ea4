import type { FetchedPage } from '../../../src/source/fetched-page.ts';
import { parseOngoing } from '../../../src/source/sites/otakudesu/ongoing-page.ts';
import { validatePage } from '../../../src/source/validate-page.ts';

/** An answer as the fetcher hands it on: 200 and nothing special, unless told otherwise. */
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

/** Recognises it as a page of the ongoing list. */
export function recogniseAs(page: FetchedPage) {
  return validatePage(page, () => parseOngoing(page.html, page.url));
}
