import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inFolder } from '../support/folders.ts';
import { fire } from '../support/load.ts';
import { perCpuSecond, ratios } from '../support/measure.ts';
import { type MeasuredServer, startBaseline, startService } from '../support/servers.ts';
import type { Row } from '../support/table.ts';

const AMOUNT = 400;
const BOUNDARY = '----WebKitFormBoundary7MA4YWxkTrZu0gW';
const BODY = [
  `--${BOUNDARY}`,
  'Content-Disposition: form-data; name="file"; filename="x.bin"',
  'Content-Type: application/octet-stream',
  '',
  randomBytes(512).toString('hex'),
  `--${BOUNDARY}--`,
  '',
].join('\r\n');

/** Files of 1 KB, sixteen at once, compared with @koa/multer with its own diskStorage and the same flush. */
export function measureSmallUploads(): Promise<Row[]> {
  return inFolder(async (folder) => {
    const bodyFile = path.join(folder, 'body');
    await writeFile(bodyFile, BODY);
    const service = await startService(folder);
    const baseline = await startBaseline('multer-disk', { folder });
    const measure = (server: MeasuredServer, address: string) => () =>
      perCpuSecond(server, () =>
        fire({
          url: `${address}/upload`,
          amount: AMOUNT,
          method: 'POST',
          bodyFile,
          headers: { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` },
        }),
      );
    const values = await ratios(measure(baseline, baseline.address), measure(service, service.uploads));
    await Promise.all([service.stop(), baseline.stop()]);
    return [{ what: '1 KB, 16 at once: requests a CPU second', values, wanted: { atLeast: 0.8 } }];
  });
}
