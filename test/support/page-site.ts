import type { PageSite } from '../pages/every-page.ts';
import { openUploadSite } from './browser.ts';
import type { Defer } from './defer.ts';
import { prepareListings } from './fixed-listing.ts';

/** Both origins: listings for one moment in every situation, and room for uploads. */
export async function openPageSite(defer: Defer): Promise<PageSite> {
  const { origin, upload } = await openUploadSite(defer, { TIME_ZONE: 'Asia/Jakarta' });
  return { listing: await prepareListings(defer), uploads: origin, upload };
}
