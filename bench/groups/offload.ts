import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { openTestS3, S3_KEY } from '../../test/support/s3.ts';
import { exchange } from '../support/exchange.ts';
import { inFolder } from '../support/folders.ts';
import { runClient } from '../support/load.ts';
import { perCpuSecond, ratios } from '../support/measure.ts';
import { startService } from '../support/servers.ts';
import type { Row } from '../support/table.ts';

const FILE_MB = 100;
const SENT = 3;
const REDIRECTED = 50;

/** Downloads that the object store sends, compared with the same file sent by the service out of the object store. */
export function measureOffload(): Promise<Row[]> {
  return inFolder(async (folder) => {
    const undos: (() => void | Promise<void>)[] = [];
    const s3 = await openTestS3((undo) => void undos.push(undo));
    const start = async (name: string, environment = {}) => {
      const own = path.join(folder, name);
      await mkdir(own);
      return startService(own, { UPLOAD_STORAGE_URL: s3.url('bench'), ...S3_KEY, ...environment });
    };
    const [sending, offloading] = [await start('sends'), await start('offloads', { UPLOAD_OFFLOAD: 's3' })];
    const form = new FormData();
    form.append('file', new Blob([Buffer.alloc(FILE_MB * 1024 ** 2, 'tayang')]), 'x.bin');
    const response = await fetch(`${sending.uploads}/upload`, { method: 'POST', body: form });
    const { result } = (await response.json()) as { result: { url_file: string } };
    const target = new URL(result.url_file).pathname;

    async function send(): Promise<number> {
      await runClient('download', { url: sending.uploads + target, times: SENT });
      return SENT * FILE_MB;
    }

    /** The address is what costs the service anything. That the store sends the bytes is shown by the tests. */
    async function redirect(): Promise<number> {
      for (let count = 0; count < REDIRECTED; count += 1) {
        const { status } = await exchange(offloading.uploads + target, {});
        if (status !== 302) throw new Error(`the download was answered ${status}`);
      }
      return REDIRECTED * FILE_MB;
    }

    const values = await ratios(
      () => perCpuSecond(sending, send),
      () => perCpuSecond(offloading, redirect),
    );
    for (const server of [sending, offloading]) await server.stop();
    for (const undo of undos.reverse()) await undo();
    return [{ what: '100 MB: MB a CPU second', values, wanted: { atLeast: 10 } }];
  });
}
