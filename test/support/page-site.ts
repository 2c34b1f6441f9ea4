import type { PageSite } from '../pages/every-page.ts';
import { openUploadSite } from './browser.ts';
import type { Defer } from './defer.ts';
import { prepareListings } from './fixed-listing.ts';

/** Opens both origins for a browser: listings of one moment in every state, and uploads with a high limit. */
export async function openPageSite(defer: Defer): Promise<PageSite> {
  const { origin, upload } = await openUploadSite(defer, { TIME_ZONE: 'Asia/Jakarta' });
  return { listing: await prepareListings(defer), uploads: origin, upload };
}
