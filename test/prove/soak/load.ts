import { startSenders } from './load/files.ts';
import { startReaders, startStreams } from './load/listing.ts';
import { startResumable } from './load/resumable.ts';
import { startHostile, startSlowReaders, startSlowSenders } from './load/sockets.ts';
import { createTally } from './load/tally.ts';

/*
 * The clients of a soak, in a process of their own: `load.ts LISTING UPLOADS`. It replies to each message of its parent
 * with what it has seen since the one before, and ends with its parent.
 */

const [listing = '', uploads = ''] = process.argv.slice(2);
const tally = createTally();
startReaders(listing, tally);
startStreams(listing, tally);
const anyLargeFile = startSenders(uploads, tally);
startResumable(uploads, tally);
startHostile(listing, uploads, tally);
startSlowSenders(uploads, tally);
startSlowReaders(uploads, anyLargeFile, tally);
process.on('message', () => process.send?.(tally.take()));
process.once('disconnect', () => process.exit());
