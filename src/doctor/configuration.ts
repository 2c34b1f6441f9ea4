import { isIP } from 'node:net';
import { findContradictions } from '../app/contradictions.ts';
import { formatSize } from '../domain/units.ts';
import type { Check } from './check.ts';

/** Finds valid variables that conflict with each other. Invalid ones ended the command earlier. */
export const checkConfiguration: Check = async (config, show) => {
  const { upload, serves } = config;
  show('ok', 'all variables are valid');
  for (const { isBroken, text } of findContradictions(config)) show(isBroken ? 'problem' : 'warning', text);
  if (!serves.uploads) return;
  const quotas = { UPLOAD_QUOTA: upload.quotaBytes, UPLOAD_ADDRESS_QUOTA: upload.ownerBytes };
  for (const [name, bytes] of Object.entries(quotas).filter(([, bytes]) => upload.maxBytes > bytes)) {
    const largest = `of UPLOAD_MAX_SIZE (${formatSize(upload.maxBytes)})`;
    show('warning', `no file ${largest} fits into ${name} (${formatSize(bytes)})`);
  }
};

/** Uploaded files must not share an origin with the API, and should not share a site (cookies, storage). */
export const checkPublicAddresses: Check = async ({ port, baseUrl, upload, serves }, show) => {
  if (!serves.listing && !serves.uploads)
    return show('off', 'not in this process (SERVE has no listing and no uploads)');
  const listing = new URL(baseUrl ?? `http://localhost:${port}`);
  const uploads = new URL(upload.url ?? `http://localhost:${upload.port}`);
  const isFreePort = (!baseUrl && port === 0) || (!upload.url && upload.port === 0);
  const areOneOrigin = listing.origin === uploads.origin && !isFreePort;
  const names = `BASE_URL (${listing.origin}) and UPLOAD_URL (${uploads.origin})`;
  const advice = 'in production use two sites, such as anime.example.org and files.example.net';

  if (areOneOrigin)
    show('problem', `${names} share an origin: an uploaded file could act as a page of the API`);
  else if (listing.hostname === uploads.hostname) show('warning', `${names} share a host; ${advice}`);
  else if (siteOf(listing.hostname) === siteOf(uploads.hostname))
    show('warning', `${names} look like one site; ${advice}`);
  else show('ok', `${names} are two sites`);
};

/** Approximates the registrable domain without the public suffix list: two labels, three under `my.id` and `co.uk`. */
function siteOf(hostname: string): string {
  if (isIP(hostname.replace(/^\[|\]$/gu, ''))) return hostname;
  const labels = hostname.split('.');
  const isNested = /(?:^|\.)[a-z]{2,3}\.[a-z]{2}$/u.test(hostname);
  return labels.slice(isNested ? -3 : -2).join('.');
}
