import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fileHandleMethods } from '../../support/file-handles.ts';
import { createdUpload, createUpload, OFFSET_STREAM, patch, TUS } from '../../support/resumable.ts';
import {
  type Answer,
  filePart,
  MB,
  multipart,
  openUploads,
  post,
  send,
  upload,
} from '../../support/upload-client.ts';

const REPORT = {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: Buffer.from('{"reason":"spam"}'),
};

function expectDown(answers: Record<string, Answer>): void {
  for (const [what, { status, headers, text }] of Object.entries(answers)) {
    expect([what, status, text]).toEqual([what, 503, expect.stringMatching(/cannot be reached|^$/u)]);
    expect([what, headers['retry-after']]).toEqual([what, '10']);
    expect([what, headers['cache-control']]).toEqual([what, 'no-store']);
  }
}

/** One of each request that needs the storage, about a file and an unfinished upload. */
async function askForAll(origin: string, file: Awaited<ReturnType<typeof upload>>, unfinished: string) {
  return {
    page: await send(origin, { path: file.page }),
    bytes: await send(origin, { path: file.file }),
    form: await send(origin, { path: file.deletion }),
    report: await send(origin, { path: `/r/${file.id}`, ...REPORT }),
    deletion: await send(origin, { method: 'DELETE', path: file.deletion }),
    offset: await send(origin, { method: 'HEAD', path: unfinished, headers: TUS }),
    result: await send(origin, { path: unfinished }),
    piece: await patch(origin, unfinished, 0, Buffer.from('x')),
    removal: await send(origin, { method: 'DELETE', path: unfinished, headers: TUS }),
  };
}

const uploadAll = async (origin: string) => ({
  small: await post(origin, multipart(filePart('a.bin', 'x'))),
  large: await post(origin, multipart(filePart('a.bin', Buffer.alloc(2 * MB)))),
  creation: (await createUpload(origin, 10)).answer,
  whole: (await createUpload(origin, 1, { headers: OFFSET_STREAM, body: Buffer.from('x') })).answer,
});

test('every request is answered 503 while the folder of the uploads is no folder, and works again afterwards', async () => {
  const uploads = await openUploads(onTestFinished);
  const { origin, dataDir } = uploads;
  const file = await upload(origin, 'halo');
  const unfinished = await createdUpload(origin, 10);
  const folder = path.join(dataDir, 'uploads');
  // Not even root can write below a file.
  await rename(folder, `${folder}-away`);
  await writeFile(folder, '');

  expectDown(await askForAll(origin, file, unfinished));
  expectDown(await uploadAll(origin));
  const page = await send(origin, { path: file.page, headers: { Accept: 'text/html' } });
  expect([page.status, page.headers['content-type']]).toEqual([503, 'text/html; charset=utf-8']);
  expect(uploads.failures).not.toEqual([]);

  await rm(folder);
  await rename(`${folder}-away`, folder);
  expect((await send(origin, { path: file.file })).text).toBe('halo');
  expect((await patch(origin, unfinished, 0, Buffer.alloc(10))).status).toBe(204);
  await upload(origin, 'again');
});

test('a folder that is missing has lost no file, and an upload that arrives later is stored', async () => {
  const { origin, dataDir, post, send, upload } = await openUploads(onTestFinished);
  const file = await upload('halo');
  const unfinished = await createdUpload(origin, 10);
  await rm(path.join(dataDir, 'uploads'), { recursive: true });
  expectDown(await askForAll(origin, file, unfinished));
  await expect.poll(() => post(multipart(filePart('a.bin', 'x')))).toMatchObject({ status: 200 });
  const { id } = await upload('new');
  expect((await send({ path: `/r/${id}`, ...REPORT })).status).toBe(202);
});

test('a disk that fails in the middle of a download breaks it off, and is in the log', async () => {
  const { send, upload, failures } = await openUploads(onTestFinished);
  const file = await upload(Buffer.alloc(4 * MB));
  const methods = await fileHandleMethods();
  const { read } = methods;
  let calls = 0;
  const spy = vi.spyOn(methods, 'read').mockImplementation(function (this: unknown, ...args: never[]) {
    calls += 1;
    return calls > 4
      ? Promise.reject(new Error('EIO: i/o error, read'))
      : read.apply(this as never, args as never);
  } as never);
  onTestFinished(() => spy.mockRestore());
  await expect(send({ path: file.file })).rejects.toThrow();
  await expect.poll(() => failures).toMatchObject([{ type: 'request-failed', error: { cause: {} } }]);
});

test('a disk that fails to read is answered 503', async () => {
  const { send, upload } = await openUploads(onTestFinished);
  const file = await upload('halo'.repeat(20_000));
  const failure = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' });
  const read = vi.spyOn(await fileHandleMethods(), 'read').mockRejectedValue(failure);
  onTestFinished(() => read.mockRestore());
  expectDown({
    page: await send({ path: file.page }),
    bytes: await send({ path: file.file }),
    form: await send({ path: file.deletion }),
  });
});
