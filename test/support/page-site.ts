import type { PageSite } from '../pages/every-page.ts';
import { uploadTo } from './browser.ts';
import type { Defer } from './defer.ts';
import { openDesk } from './desk.ts';
import { openTestService, temporaryFolder } from './service.ts';

/** Both origins, with a snapshot and room for uploads, as a browser names them. */
export async function openPageSite(defer: Defer): Promise<PageSite> {
  const DATA_DIR = await temporaryFolder(defer);
  const environment = { DATA_DIR, UPLOAD_RATE_LIMIT: '1000', TIME_ZONE: 'Asia/Jakarta' };
  const service = await openTestService(defer, environment);
  // A busy machine may take longer for its first crawl than one wait allows.
  await service.ready().catch(service.ready).catch(service.ready);
  const uploads = service.uploads.replace('127.0.0.1', 'localhost');
  const desk = await openDesk(DATA_DIR, defer);
  return {
    listing: service.address,
    uploads,
    upload: (name, content) => uploadTo(uploads, name, content),
    async remove({ url }, reason) {
      await desk.remove(new URL(url).pathname.slice(1), { reason, blocks: false });
    },
  };
}
