import { isIP } from 'node:net';
import { type Check, ok, problem, warning } from './check.ts';
import type { Settings } from './context.ts';

/** Strangers' files share an origin with the API never, and a site (cookies, storage) preferably not. */
export function checkPublicAddresses({ port, baseUrl, upload }: Settings): Check {
  const listing = new URL(baseUrl ?? `http://localhost:${port}`);
  const uploads = new URL(upload.url ?? `http://localhost:${upload.port}`);
  const isFreePort = (!baseUrl && port === 0) || (!upload.url && upload.port === 0);
  const areOneOrigin = listing.origin === uploads.origin && !isFreePort;
  const names = `BASE_URL (${listing.origin}) and UPLOAD_URL (${uploads.origin})`;
  const mend = 'in production, set them to two sites, such as anime.example.org and files.example.net';

  return {
    name: 'Public addresses',
    async *find() {
      if (areOneOrigin)
        yield problem(`${names} are one origin: a stranger's file would be a page of the API's`);
      else if (listing.hostname === uploads.hostname) yield warning(`${names} are one host; ${mend}`);
      else if (siteOf(listing.hostname) === siteOf(uploads.hostname)) {
        yield warning(`${names} look like one site; ${mend}`);
      } else yield ok(`${names} are two sites`);
    },
  };
}

/** Near enough without the list of public suffixes: two labels, three under the likes of `my.id` and `co.uk`. */
function siteOf(hostname: string): string {
  if (isIP(hostname.replace(/^\[|\]$/gu, ''))) return hostname;
  const labels = hostname.split('.');
  const isNested = /(?:^|\.)[a-z]{2,3}\.[a-z]{2}$/u.test(hostname);
  return labels.slice(isNested ? -3 : -2).join('.');
}
