import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';
import { LANGUAGES, type Language } from '../pages/i18n/translations.ts';
import { ENCODINGS, type Encoding } from '../publishing/document.ts';

/** The language of a page: `?lang=`, else what the browser prefers, else the default language. */
export function chooseLanguage(query: string, headers: IncomingHttpHeaders): Language {
  const requested = query === '' ? null : new URLSearchParams(query).get('lang');
  const chosen = LANGUAGES.find((language) => language === requested);
  return chosen ?? preferredLanguage(headers['accept-language'] ?? '');
}

const preferredLanguage = memoize((acceptLanguage): Language => {
  const negotiator = new Negotiator({ headers: { 'accept-language': acceptLanguage } });
  return (negotiator.language([...LANGUAGES]) as Language | undefined) ?? LANGUAGES[0];
});

/** The encodings that a client accepts, the preferred one first. */
export const acceptableEncodings = memoize((acceptEncoding): readonly Encoding[] => {
  // The types of negotiator lack the options. `preferred` orders the encodings to which the client gives the same weight.
  const negotiator = new Negotiator({
    headers: { 'accept-encoding': acceptEncoding },
  }) as NegotiatorWithOptions;
  return negotiator.encodings(ENCODINGS, { preferred: ENCODINGS });
});

type NegotiatorWithOptions = Negotiator & {
  encodings(offered: readonly Encoding[], options: { preferred: readonly Encoding[] }): Encoding[];
};

/**
 * Keeps the results of a slow function of a request header, of which clients send few different values. One that is absurdly
 * long, which would take milliseconds, counts as absent.
 */
function memoize<Result>(compute: (header: string) => Result): (header: string) => Result {
  const results = new Map<string, Result>();
  return (sent) => {
    const header = sent.length > MAX_HEADER_LENGTH ? '' : sent;
    const known = results.get(header);
    if (known !== undefined) return known;
    const result = compute(header);
    if (results.size >= MAX_RESULTS) results.clear();
    results.set(header, result);
    return result;
  };
}

const MAX_RESULTS = 100;
const MAX_HEADER_LENGTH = 1_000;
