import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { findOperation } from './operations.ts';
import { placeIn } from './place.ts';

/*
 * The process that is disturbed: `disturbed.ts OPERATION FOLDER SITE`. It prints a line of JSON when it is prepared, runs
 * the operation after it has read a line, and prints each acknowledged result. Writes to the pipe are synchronous, so that
 * a result counts as acknowledged from the system call on.
 */

const [name = '', folder = '', site = ''] = process.argv.slice(2);
const { before, run } = await findOperation(name).prepare(placeIn(folder, site));
const print = (value: unknown) => void writeSync(1, `${JSON.stringify(value)}\n`);
print({ before });
await once(process.stdin, 'data');
await run((acknowledged) => print({ acknowledged }));
process.exit(0);
