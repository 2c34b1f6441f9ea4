import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCatalogue } from '../../../src/demo/catalogue.ts';
import { openSampleSite } from '../../../src/demo/sample-site.ts';
import type { Place } from './operation.ts';

const A_FRIDAY = new Date('2026-11-20T05:00:00Z');

/** The files of a service whose data folder this is. */
export function placeIn(folder: string, site: string): Place {
  return { folder, storage: `file:${path.join(folder, 'uploads')}`, site };
}

/** Works with an empty data folder below a temporary one, and a source site of which `GET /air` adds an episode. */
export async function inPlace<T>(work: (place: Place, root: string) => Promise<T>): Promise<T> {
  const root = await mkdtemp(path.join(tmpdir(), 'tayang-prove-'));
  const folder = path.join(root, 'data');
  await mkdir(folder);
  const catalogue = createCatalogue(A_FRIDAY);
  const site = await openSampleSite({
    catalogue,
    intercept(request, response) {
      if (request.url !== '/air') return false;
      catalogue.airNextEpisode(A_FRIDAY);
      response.end();
      return true;
    },
  });
  try {
    return await work(placeIn(folder, site.origin), root);
  } finally {
    await site.close();
    await rm(root, { recursive: true, force: true });
  }
}
