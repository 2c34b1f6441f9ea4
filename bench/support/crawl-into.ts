import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { openSource } from './source.ts';

const START = path.resolve(import.meta.dirname, '../../src/start.js');

/** Fills a data folder with a snapshot, like `npm run refresh`. */
export async function crawlInto(folder: string): Promise<void> {
  const source = await openSource();
  const env = { PATH: process.env.PATH, DATA_DIR: folder, SOURCE_URLS: source.origin, SOURCE_DELAY: '0' };
  await promisify(execFile)(process.execPath, [START, 'refresh'], { env, cwd: folder });
  source.close();
}
