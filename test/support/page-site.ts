import type { PageSite } from '../pages/every-page.ts';
import { uploadTo } from './browser.ts';
import type { Defer } from './defer.ts';
import { openTestService } from './service.ts';

/** Opens both origins for a browser, with a snapshot and a high limit of uploads. */
export async function openPageSite(defer: Defer): Promise<PageSite> {
  const service = await openTestService(defer, { UPLOAD_RATE_LIMIT: '1000', TIME_ZONE: 'Asia/Jakarta' });
  // On a busy machine the first crawl may take longer than one wait.
  await service.ready().catch(service.ready).catch(service.ready);
  const uploads = service.uploads.replace('127.0.0.1', 'localhost');
  return { listing: service.address, uploads, upload: (name, content) => uploadTo(uploads, name, content) };
}
