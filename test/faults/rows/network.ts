import { openSampleSite } from '../../../src/demo/sample-site.ts';
import { always } from '../../support/source.ts';
import {
  createBomb,
  drip,
  dropMidway,
  first,
  goOn,
  only,
  pageOfList,
  SCHEDULE,
  serving,
  silence,
  stopMidway,
} from '../answers.ts';
import type { SourceFault } from '../fault.ts';

const TIMED_OUT = /no complete answer within \d+ ms/u;
const TOO_LONG = /does not end within 5242880 bytes/u;
const FAILED = /the source answered 500/u;

/** What goes wrong below the pages: the connection, the body's way, the server itself. */
export const networkFaults: SourceFault[] = [
  {
    name: 'down',
    does: 'refuses every connection',
    state: 'down',
    expectedReason: /ECONNREFUSED|refused/u,
    async begin({ configured }) {
      await configured.close();
      return undefined;
    },
    async end({ configured }) {
      const { catalogue, origin } = configured;
      const again = await openSampleSite({ catalogue, port: Number(new URL(origin).port) });
      configured.close = again.close;
    },
  },
  {
    name: 'time-out before the headers',
    does: 'takes every request and says nothing',
    state: 'down',
    expectedReason: TIMED_OUT,
    isTimed: true,
    begin: () => silence,
  },
  {
    name: 'silence in the middle of the body',
    does: 'sends half of every page and says nothing more',
    state: 'down',
    expectedReason: TIMED_OUT,
    isTimed: true,
    begin: ({ configured }) => serving(configured, stopMidway),
  },
  {
    name: 'slow drip',
    does: 'sends one character of a page every 50 ms',
    state: 'down',
    expectedReason: TIMED_OUT,
    isTimed: true,
    begin: ({ configured }) => serving(configured, drip),
  },
  {
    name: 'endless body',
    does: 'sends cards and never ends the page',
    state: 'down',
    expectedReason: TOO_LONG,
    begin: ({ configured }) => serving(configured, goOn),
  },
  {
    name: 'decompression bomb',
    does: 'sends 64 KB that unpack to 64 MB',
    state: 'down',
    // A slow machine reaches the other limit first: unpacking takes its time.
    expectedReason: /does not end within 5242880 bytes|no complete answer within/u,
    begin: createBomb,
  },
  {
    name: 'connection dropped',
    does: 'drops the connection in the middle of every page',
    state: 'down',
    expectedReason: /terminated|closed|ECONNRESET|aborted/u,
    begin: ({ configured }) => serving(configured, dropMidway),
  },
  {
    name: '500 once',
    does: 'answers the first request for the schedule with 500',
    state: 'ok',
    expectedReason: /the source answered 500 to \/jadwal-rilis\/; trying again in [\d.]+ s/u,
    begin: () => only(SCHEDULE, first(1, always(500))),
  },
  {
    name: '500 for ever',
    does: 'answers 500 to everything, for three attempts',
    state: 'down',
    expectedReason: FAILED,
    attempts: 3,
    begin: () => always(500, '<html>Internal Server Error</html>'),
  },
  {
    name: 'a little wrong everywhere',
    does: 'answers 500 twice before it shows any page',
    isTimed: true,
    state: 'down',
    expectedReason: FAILED,
    begin: () => first(2, always(500), 'each path'),
  },
  {
    name: 'page 4 only',
    does: 'answers 500 for page 4 of the list',
    state: 'down',
    expectedReason: FAILED,
    begin: () => only(pageOfList(4), always(500)),
  },
  {
    name: 'schedule only',
    does: 'answers 500 for the schedule',
    state: 'down',
    expectedReason: FAILED,
    begin: () => only(SCHEDULE, always(500)),
  },
];
