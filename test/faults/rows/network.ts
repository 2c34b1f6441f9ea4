import { openSampleSite } from '../../../src/demo/sample-site.ts';
import { createBomb, silence } from '../answers.ts';
import type { SourceFault } from '../fault.ts';
import { readRows } from '../read-rows.ts';

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
    expectedReason: /no complete answer within \d+ ms/u,
    isTimed: true,
    begin: () => silence,
  },
  {
    name: 'decompression bomb',
    does: 'sends 64 KB that unpack to 64 MB',
    state: 'down',
    // A slow machine reaches the other limit first: unpacking takes its time.
    expectedReason: /does not end within 5242880 bytes|no complete answer within/u,
    begin: createBomb,
  },
  ...readRows('network'),
];
