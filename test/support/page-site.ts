import { openUploadSite, type Uploaded } from './browser.ts';
import type { Defer } from './defer.ts';
import { prepareListings } from './fixed-listing.ts';
import { openModerator } from './moderator.ts';
import { temporaryFolder } from './service.ts';

export type PageSite = Awaited<ReturnType<typeof openPageSite>>;

/** Opens both origins for a browser: listings of one moment in every state, and uploads with a high limit. */
export async function openPageSite(defer: Defer) {
  const DATA_DIR = await temporaryFolder(defer);
  const { origin, upload } = await openUploadSite(defer, { DATA_DIR, TIME_ZONE: 'Asia/Jakarta' });
  const moderator = await openModerator(DATA_DIR, defer);
  return {
    listing: await prepareListings(defer),
    uploads: origin,
    upload,
    /** Removes an uploaded file as the operator does. */
    async remove({ url }: Uploaded, reason: 'operator' | 'legal'): Promise<void> {
      await moderator.remove(new URL(url).pathname.slice(1), { reason, blocks: false });
    },
  };
}
