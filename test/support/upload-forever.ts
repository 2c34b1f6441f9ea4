import { randomBytes, randomInt } from 'node:crypto';
import { openDiskStorage } from '../../src/uploads/storage/disk.ts';
import { HOUR_MS, keep, sha256 } from './uploads.ts';

/*
 * A process for the test to kill: `upload-forever.ts FOLDER` stores files of all sizes, some at once, and prints each id
 * once it is published. Each file is named after its checksum.
 */
const storage = await openDiskStorage(process.argv[2]!, Date.now);

async function uploadForever(): Promise<never> {
  for (;;) {
    const bytes = randomBytes(randomInt(2) ? randomInt(70_000) : randomInt(3_000_000));
    const id = await keep(storage, bytes, Date.now() + HOUR_MS, { originalname: sha256(bytes) });
    process.stdout.write(`${id}\n`);
  }
}

await Promise.all(Array.from({ length: 4 }, uploadForever));
