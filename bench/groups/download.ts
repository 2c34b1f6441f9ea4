import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { exchange } from '../support/exchange.ts';
import { inFolder } from '../support/folders.ts';
import { fire, runClient } from '../support/load.ts';
import { perCpuSecond, ratios } from '../support/measure.ts';
import { type MeasuredServer, startBaseline, startService } from '../support/servers.ts';
import type { Row } from '../support/table.ts';

const MB = 1024 ** 2;
const LARGE_MB = 100;
const TIMES = 3;
const SMALL_AMOUNT = 1_500;

/** Downloads of a stored file, compared with bare node:http piping a file of the same size. */
export function measureDownload(): Promise<Row[]> {
  return inFolder(async (folder) => {
    const service = await startService(folder);
    const large = await measureCase(service, folder, LARGE_MB * MB, (url) => async () => {
      await runClient('download', { url, times: TIMES });
      return TIMES * LARGE_MB;
    });
    const small = await measureCase(
      service,
      folder,
      1024,
      (url) => () => fire({ url, amount: SMALL_AMOUNT }),
    );
    await service.stop();
    return [
      { what: '100 MB: MB a CPU second', values: large, wanted: { atLeast: 2 } },
      { what: '1 KB: requests a CPU second', values: small, wanted: { atLeast: 1 } },
    ];
  });
}

async function measureCase(
  service: MeasuredServer,
  folder: string,
  size: number,
  download: (url: string) => () => Promise<number>,
): Promise<number[]> {
  const bytes = Buffer.alloc(size, 'tayang');
  const file = path.join(folder, `baseline-${size}`);
  await writeFile(file, bytes);
  const form = new FormData();
  form.append('file', new Blob([bytes]), 'x.bin');
  const response = await fetch(`${service.uploads}/upload`, { method: 'POST', body: form });
  const { result } = (await response.json()) as { result: { url_file: string } };
  const target = new URL(result.url_file).pathname;

  const { headers } = await exchange(service.uploads + target, {});
  const baseline = await startBaseline('send-file', { file, headers });
  const ours = download(service.uploads + target);
  const theirs = download(baseline.address + target);
  const values = await ratios(
    () => perCpuSecond(baseline, theirs),
    () => perCpuSecond(service, ours),
  );
  await baseline.stop();
  return values;
}
