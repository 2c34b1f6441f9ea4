import type { PageSite } from '../pages/every-page.ts';
import { uploadTo } from './browser.ts';
import type { Defer } from './defer.ts';
import { openTestService } from './service.ts';

/** Both origins, with a snapshot and room for uploads, as a browser names them. */
export async function openPageSite(defer: Defer): Promise<PageSite> {
  const service = await openTestService(defer, { UPLOAD_RATE_LIMIT: '1000', TIME_ZONE: 'Asia/Jakarta' });
  // A busy machine may take longer for its first crawl than one wait allows.
  await service.ready().catch(service.ready).catch(service.ready);
  const uploads = service.uploads.replace('127.0.0.1', 'localhost');
  return { listing: service.address, uploads, upload: (name, content) => uploadTo(uploads, name, content) };
}
