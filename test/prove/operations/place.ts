import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { temporaryFolder } from '../../support/service.ts';
import { openTestSource } from '../../support/source.ts';
import { withCleanups } from '../cleanups.ts';
import type { Place } from './operation.ts';

const A_FRIDAY = new Date('2026-11-20T05:00:00Z');

/** The files of a service whose data folder this is. */
export function placeIn(folder: string, site: string): Place {
  return { folder, storage: `file:${path.join(folder, 'uploads')}`, site };
}

/** Works with an empty data folder below a temporary one, and a source site of which `GET /air` adds an episode. */
export function inPlace<T>(work: (place: Place, root: string) => Promise<T>): Promise<T> {
  return withCleanups(async (defer) => {
    const root = await temporaryFolder(defer);
    const folder = path.join(root, 'data');
    await mkdir(folder);
    const site = await openTestSource(defer);
    site.fault = (request, response) => {
      if (request.url !== '/air') return false;
      site.catalogue.airNextEpisode(A_FRIDAY);
      response.end();
      return true;
    };
    return work(placeIn(folder, site.origin), root);
  });
}
