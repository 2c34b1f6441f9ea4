import { FAULTS } from '../../faults/faults.ts';
import type { Defer } from '../../support/defer.ts';
import { openTestSource, type TestSource } from '../../support/source.ts';

const EPISODE_EVERY_MS = 45_000;
const PHASE_MS = 90_000;

/** Of the table of faults, in every other phase another one. */
const NAMES = [
  'a little wrong everywhere',
  'empty list',
  'slow drip',
  'connection dropped',
  '403',
  'cut page',
];

/** The sample site, which airs an episode every 45 s and has another fault in every other phase of 90 s. */
export async function openFaultySite(defer: Defer): Promise<TestSource> {
  const site = await openTestSource(defer, new Date());
  const faults = NAMES.map((name) => FAULTS.find((one) => one.name === name));
  let phase = 0;
  const airing = setInterval(() => site.catalogue.airNextEpisode(new Date()), EPISODE_EVERY_MS);
  const changing = setInterval(async () => {
    phase += 1;
    const fault = phase % 2 === 1 ? faults[((phase - 1) / 2) % faults.length] : undefined;
    site.fault = await fault?.begin({ configured: site, other: site });
  }, PHASE_MS);
  defer(() => {
    clearInterval(airing);
    clearInterval(changing);
  });
  return site;
}
