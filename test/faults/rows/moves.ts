import { always, type TestSource } from '../../support/source.ts';
import { redirecting, showPlainly, withAnime } from '../answers.ts';
import type { Sites, SourceFault } from '../fault.ts';
import { readRows } from '../read-rows.ts';

/** What happens to a host: it moves, lapses, is parked, or somebody else has it. */
export const moves: SourceFault[] = [
  {
    name: '301 to a new host',
    does: 'redirects to another host, which shows the same anime',
    state: 'ok',
    begin: ({ other }) => redirecting((path) => other.origin + path),
    remembersOther: true,
  },
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
    name: 'redirect to a private address',
    does: 'has a public name, and redirects to 127.0.0.1',
    state: 'moved',
    expectedReason: /redirects to http:\/\/127\.0\.0\.1:\d+, a private address: not followed/u,
    sourceUrls: publicName,
    begin: ({ other }) => redirecting((path) => other.origin + path),
    sparesOther: true,
  },
  {
    name: 'redirect to a name with a private address',
    does: 'has a public name, and redirects to another one that resolves to 127.0.0.1',
    state: 'moved',
    expectedReason: /dalam\.example, which has a private address/u,
    sourceUrls: publicName,
    begin: ({ other }) => redirecting((path) => other.origin.replace('127.0.0.1', 'dalam.example') + path),
    sparesOther: true,
  },
  {
    name: 'redirect loop',
    does: 'redirects every page to itself',
    state: 'down',
    expectedReason: /redirects more than 5 times/u,
    begin: () => redirecting((path) => path),
  },
  {
    name: 'lapsed host with a new owner',
    does: 'shows other anime in the same theme',
    state: 'changed',
    expectedReason: /the ongoing list contradicts what is known: 132 of 132 anime are gone/u,
    begin: ({ configured }) => showPlainly(withAnime(configured, foreignAnime(configured))),
  },
  {
    name: 'first mirror down',
    does: 'answers 502, while the second of SOURCE_URLS is up',
    state: 'ok',
    expectedReason: /the source answered 502/u,
    sourceUrls: ({ configured, other }) => `${configured.origin},${other.origin}`,
    begin: () => always(502),
    remembersOther: true,
  },
  ...readRows('moves'),
];

function publicName({ configured }: Sites): string {
  return configured.origin.replace('127.0.0.1', 'situs.example');
}

function foreignAnime({ catalogue }: TestSource) {
  return catalogue.anime.map((anime) => ({
    ...anime,
    slug: `lain-${anime.slug}`,
    title: `Lain ${anime.title}`,
  }));
}
