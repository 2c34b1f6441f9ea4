import type { Snapshot } from '../../src/domain/listing.ts';
import type { Change } from './change.ts';
import { listLies } from './lies.ts';
import { listRenames } from './renames.ts';
import { listRestructures } from './restructures.ts';
import { refreshFrom } from './run-change.ts';
import { capturedSite, type Pages, sampleSite } from './sites.ts';

/** Which share of the anime is new since the snapshot: anywhere in the list, or all on top. */
export const NOVELTIES = [
  { name: '0 % new', share: 0, isOnTop: false },
  { name: '3 % new', share: 0.03, isOnTop: false },
  { name: '10 % new', share: 0.1, isOnTop: false },
  { name: '40 % new', share: 0.4, isOnTop: false },
  { name: '40 % new on top', share: 0.4, isOnTop: true },
];
export type Novelty = (typeof NOVELTIES)[number];

export interface KnownSite {
  name: string;
  pages: Pages;
  /** What the pages say by the written selectors. */
  whole: Snapshot;
}

/** The sample site, and the captured one where there are captures. */
export async function openSites(): Promise<KnownSite[]> {
  const sites = [
    { name: 'the sample site', pages: sampleSite() },
    { name: 'the captures', pages: capturedSite() },
  ];
  const known: KnownSite[] = [];
  for (const { name, pages } of sites) {
    if (!pages) continue;
    const { error, after } = await refreshFrom(pages, undefined);
    if (!after) throw error;
    known.push({ name, pages, whole: after });
  }
  return known;
}

export function listChanges(pages: Pages): Change[] {
  return [...listRenames(pages), ...listRestructures(), ...listLies()];
}
