import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readChallenge } from '../support/fixtures.ts';
import { always, type Fault } from '../support/source.ts';
import {
  altering,
  drip,
  dropMidway,
  first,
  goOn,
  inLatin1,
  mislabelled,
  only,
  redirecting,
  serving,
  stopMidway,
} from './answers.ts';
import type { Sites, SourceFault } from './fault.ts';

/** A fault as the table has it: with one of `answer`, `serve`, `replace` and `redirect`. */
interface Row extends Omit<SourceFault, 'begin' | 'end' | 'expectedReason' | 'sourceUrls'> {
  /** A regular expression, as those of `replace`. */
  reason?: string;
  /** The one path that is concerned. */
  path?: string;
  /** How many requests meet it. */
  first?: [times: number, of: 'all' | 'each path'];
  /** What every request gets: a text, or a kept page of a challenge. */
  answer?: {
    status: number;
    text?: string;
    challenge?: Parameters<typeof readChallenge>[0];
    headers?: Record<string, string>;
  };
  /** How pages are sent. */
  serve?: keyof typeof SERVERS;
  /** What is replaced everywhere on the pages of the list, or on the one page, and by what. */
  replace?: [expression: string, by: string];
  /** Where each request is sent: `{path}` stands for what it asks for, other names for origins as in `mirrors`. */
  redirect?: string;
  /** SOURCE_URLS: `{configured}`, `{other}`, a `{public}` name of the first and a `{private}` one of the second. */
  mirrors?: string;
}

const SERVERS = { stopMidway, drip, goOn, dropMidway, inLatin1, mislabelled };

const TABLE: Record<string, Row[]> = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'rows.json'), 'utf8'),
);

/** The faults of a group that the table describes. */
export function readRows(group: 'network' | 'refusals' | 'moves' | 'pages' | 'lies'): SourceFault[] {
  return (TABLE[group] ?? []).map(({ reason, mirrors, ...row }) => ({
    ...row,
    ...(reason === undefined ? {} : { expectedReason: new RegExp(reason, 'u') }),
    ...(mirrors === undefined ? {} : { sourceUrls: (sites) => withOrigins(mirrors, sites) }),
    begin: (sites) => faultOf(row, sites),
  }));
}

function withOrigins(text: string, { configured, other }: Sites): string {
  return text
    .replace('{configured}', configured.origin)
    .replace('{other}', other.origin)
    .replace('{public}', configured.origin.replace('127.0.0.1', 'situs.example'))
    .replace('{private}', other.origin.replace('127.0.0.1', 'dalam.example'));
}

function faultOf({ answer, serve, replace, redirect, path: place, first: some }: Row, sites: Sites): Fault {
  const { configured: site } = sites;
  if (redirect) return redirecting((path) => withOrigins(redirect, sites).replace('{path}', path));
  if (replace) {
    const [expression, by] = replace;
    return altering(site, (html) => html.replaceAll(new RegExp(expression, 'gu'), by), place);
  }
  if (serve) return serving(site, SERVERS[serve]);
  const { status = 200, text, challenge, headers } = answer ?? {};
  const fault = always(status, challenge ? readChallenge(challenge) : text, headers);
  const limited = some ? first(some[0], fault, some[1]) : fault;
  return place ? only(place, limited) : limited;
}
