import type { FetchedPage } from '../../../src/source/fetch-page.ts';

/** An answer as the fetcher hands it on: 200 and nothing special, unless told otherwise. */
export function fetchedPage(html: string, differences: Partial<FetchedPage> = {}): FetchedPage {
  return {
    url: 'https://otakudesu.example/ongoing-anime/',
    status: 200,
    html,
    validators: {},
    challenged: false,
    retryAfterMs: undefined,
    ...differences,
  };
}
