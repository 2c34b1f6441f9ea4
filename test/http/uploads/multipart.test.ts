import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readMultipart } from '../../../src/http/uploads/multipart.ts';
import { MULTIPART_CASES, runMultipart } from '../../prove/vectors/multipart.ts';
import { multipartContext, multipartRequest } from '../../support/receive-multipart.ts';
import { filePart, MULTIPART, multipart, openOnce, openUploads } from '../../support/upload-client.ts';

const uploads = openOnce(openUploads);

/** `npm run prove -- vectors` also sends them in chunks, and `npm run prove -- fuzz` mutates bodies. */
test.each(Object.entries(MULTIPART_CASES))(
  'bodies are stored right, or refused with nothing left, as in the table of %s',
  async (_, cases) => {
    const before = (await uploads.kept()).length;
    expect(await runMultipart(uploads.origin, cases, false)).toEqual([]);
    const stored = cases.filter(({ expected }) => typeof expected !== 'number');
    await expect.poll(uploads.kept).toHaveLength(before + stored.length);
    await expect.poll(uploads.held).toEqual([]);
    expect(uploads.failures).toEqual([]);
  },
);

test('a complete body whose file is never finished is refused after a timeout', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const [, boundary = ''] = MULTIPART.split('boundary=');
  const request = multipartRequest([multipart(filePart())], boundary);
  const stage = (stream: Readable) =>
    new Promise<never>(
      (_, reject) => void stream.resume().once('close', () => stream.errored && reject(stream.errored)),
    );
  const reading = readMultipart(multipartContext(request), stage, new Promise<never>(() => {}), 'file');
  const refused = expect(reading).rejects.toMatchObject({ code: 'invalid-request' });
  await once(request, 'end');
  await vi.advanceTimersByTimeAsync(200_000);
  await refused;
});
