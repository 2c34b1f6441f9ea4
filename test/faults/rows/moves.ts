import type { TestSource } from '../../support/source.ts';
import { redirecting, showPlainly, withAnime } from '../answers.ts';
import type { SourceFault } from '../fault.ts';
import { readRows } from '../read-rows.ts';

/** What happens to a host: it moves, lapses, is parked, or somebody else has it. */
export const moves: SourceFault[] = [
  {
    name: '301 to a look-alike',
    does: 'redirects to another host with the same markup and other anime',
    state: 'moved',
    expectedReason:
      /where 0 of \d+ anime are known, too few to trust it\. If it is the site's new address, add it to SOURCE_URLS/u,
    begin({ other }) {
      other.catalogue.anime.splice(0, Number.POSITIVE_INFINITY, ...foreignAnime(other));
      return redirecting((path) => other.origin + path);
    },
  },
  {
    name: 'lapsed host with a new owner',
    does: 'shows other anime in the same theme',
    state: 'changed',
    expectedReason: /the ongoing list contradicts what is known: 132 of 132 anime are new/u,
    begin: ({ configured }) => showPlainly(withAnime(configured, foreignAnime(configured))),
  },
  ...readRows('moves'),
];

function foreignAnime({ catalogue }: TestSource) {
  return catalogue.anime.map((anime) => ({
    ...anime,
    slug: `lain-${anime.slug}`,
    title: `Lain ${anime.title}`,
  }));
}
