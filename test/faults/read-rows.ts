import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readChallenge } from '../support/fixtures.ts';
import { always, type Fault, type TestSource } from '../support/source.ts';
import {
  altering,
  drip,
  dropMidway,
  first,
  goOn,
  inLatin1,
  mislabelled,
  only,
  serving,
  stopMidway,
} from './answers.ts';
import type { SourceFault } from './fault.ts';

/** A fault as the table has it: with one of `answer`, `serve` and `replace`. */
interface Row extends Omit<SourceFault, 'begin' | 'end' | 'expectedReason'> {
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
}

const SERVERS = { stopMidway, drip, goOn, dropMidway, inLatin1, mislabelled };

const TABLE: Record<string, Row[]> = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'rows.json'), 'utf8'),
);

/** The faults of a group that the table describes. */
export function readRows(group: 'network' | 'refusals' | 'moves' | 'pages' | 'lies'): SourceFault[] {
  return (TABLE[group] ?? []).map(({ reason, ...row }) => ({
    ...row,
    ...(reason === undefined ? {} : { expectedReason: new RegExp(reason, 'u') }),
    begin: ({ configured }) => faultOf(row, configured),
  }));
}

function faultOf({ answer, serve, replace, path: place, first: some }: Row, site: TestSource): Fault {
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
