import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { crawlInto } from '../support/crawl-into.ts';
import { inFolder } from '../support/folders.ts';
import { differences } from '../support/measure.ts';
import type { Row } from '../support/table.ts';

const START = path.resolve(import.meta.dirname, '../../src/start.js');
const EMPTY = path.resolve(import.meta.dirname, '../baselines/empty.ts');

/** Wall time from the start of the process to its first 200, with a snapshot on disk, compared with an empty server. */
export function measureStart(): Promise<Row[]> {
  return inFolder(async (folder) => {
    await crawlInto(folder);
    const environment = { DATA_DIR: folder, PORT: '0', UPLOAD_PORT: '0' };
    const values = await differences(
      () => msToAnswer([EMPTY], '/', {}),
      () => msToAnswer([START, 'serve'], '/api/anime/home', environment),
    );
    return [{ what: 'first 200, later than an empty server', values, wanted: { atMost: 250 }, unit: 'ms' }];
  });
}

async function msToAnswer(args: string[], target: string, environment: object): Promise<number> {
  const startedAt = performance.now();
  const env = { PATH: process.env.PATH, REFRESH_CRON: 'off', ...environment };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /listening on (http:\/\/[\d.:]+)/u.exec(line)?.[1];
    if (!address) continue;
    const { status } = await fetch(address + target);
    if (status !== 200) throw new Error(`answered ${status}`);
    break;
  }
  const took = performance.now() - startedAt;
  child.kill('SIGTERM');
  await ended;
  return took;
}
