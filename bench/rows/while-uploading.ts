import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { exchange } from '../support/exchange.ts';
import { inFolder } from '../support/folders.ts';
import { runClient } from '../support/load.ts';
import { quantile, ratios } from '../support/measure.ts';
import { crawlInto } from '../support/ready-folder.ts';
import { startLimit, startService } from '../support/servers.ts';
import type { Row } from '../support/table.ts';

const PER_SECOND = 500;
const SECONDS = 1.5;
const UPLOADS = 16;
/** Together 96 MB a second: what a line of one gigabit brings. */
const MB_PER_SECOND = 6;
const TARGET = '/api/anime/home?page=2';

/** How much slower the slowest answers get while uploads come in, over a bare server that takes the same ones. */
export function measureWhileUploading(): Promise<Row[]> {
  return inFolder(async (folder) => {
    await crawlInto(folder);
    const limitFolder = path.join(folder, 'limit');
    await mkdir(limitFolder);
    const service = await startService(folder, { REFRESH_CRON: '0 0 1 1 *' });
    const answer = await exchange(service.address + TARGET, { 'Accept-Encoding': 'br' });
    const limit = await startLimit('receive', { folder: limitFolder, answer });

    const own: number[] = [];
    const theirs: number[] = [];
    const values = await ratios(
      () => slowdown(limit.address, limit.address, theirs),
      () => slowdown(service.address, `${service.uploads}/upload`, own),
    );
    await Promise.all([service.stop(), limit.stop()]);
    return [
      { what: 'p99 of a page over idle, over that of a bare server', values, wanted: { atMost: 1.1 } },
      { what: 'p99 of a page over idle', values: own },
      { what: 'p99 of a page over idle, bare server', values: theirs },
    ];
  });
}

/** p99 while sixteen uploads come in, over p99 before. */
async function slowdown(address: string, uploadUrl: string, kept: number[]): Promise<number> {
  const url = address + TARGET;
  const idle = await p99(url, SECONDS);
  const megabytes = MB_PER_SECOND * (SECONDS + 0.5);
  const uploading = runClient('upload', {
    ...{ url: uploadUrl, uploads: UPLOADS, megabytes, mbPerSecond: MB_PER_SECOND },
  });
  const busy = await p99(url, SECONDS);
  await uploading;
  kept.push(busy / idle);
  return busy / idle;
}

async function p99(url: string, seconds: number): Promise<number> {
  const { took } = await runClient<{ took: number[] }>('latency', { url, perSecond: PER_SECOND, seconds });
  return quantile(took, 0.99);
}
