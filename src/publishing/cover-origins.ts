import type { OngoingAnime } from '../domain/listing.ts';

/** A header has a limit. The source needs one host, and two while it moves to another one. */
const MAX_ORIGINS = 4;
/** The origins that a policy can name: a host with other characters could end its directive and begin another one. */
const ORIGIN = /^https?:\/\/(?=[^:]{1,253}(?::|$))[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d+)?$/u;

/** The origins that most covers come from, for the policy of a page that shows them; in alphabetical order. */
export function chooseCoverOrigins(ongoing: readonly OngoingAnime[]): string[] {
  const origins = ongoing.map(({ image }) => URL.parse(image)?.origin ?? '');
  const byOrigin = Map.groupBy(
    origins.filter((origin) => ORIGIN.test(origin)),
    (origin) => origin,
  );
  const byFrequency = [...byOrigin].toSorted().toSorted(([, a], [, b]) => b.length - a.length);
  return byFrequency
    .slice(0, MAX_ORIGINS)
    .map(([origin]) => origin)
    .toSorted();
}
