import { randomBytes } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../support/service.ts';
import { setClock } from '../../support/set-clock.ts';
import {
  expectRefusal,
  filePart,
  KB,
  MB,
  multipart,
  openUploads,
  post,
  send,
  upload,
} from '../../support/upload-client.ts';

const SIZES = {
  UPLOAD_MAX_SIZE: '1 MB',
  UPLOAD_ADDRESS_QUOTA: '1 MB',
  UPLOAD_QUOTA: '2 MB',
  TRUST_PROXY: '1',
};
const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
const open = (more: Record<string, string> = {}) => openUploads(onTestFinished, { ...SIZES, ...more });

/** Uploads a file, and deletes it if it is accepted, because stored files are counted in the background. */
async function tryOut(origin: string, bytes: number, address: string) {
  const answer = await post(origin, multipart(filePart('a.bin', randomBytes(bytes))), from(address));
  const deletion = answer.headers['x-delete-url'];
  if (deletion) await send(origin, { method: 'DELETE', path: new URL(String(deletion)).pathname });
  return answer;
}

describe('after a restart', () => {
  test('every file keeps its address, and its secret address still deletes it', async () => {
    const first = await open();
    const bytes = randomBytes(300 * KB);
    const { file, page, deletion } = await upload(first.origin, bytes, { name: 'tetap.bin' });
    const { origin } = await open({ DATA_DIR: first.dataDir });
    expect((await send(origin, { path: file })).body.equals(bytes)).toBe(true);
    expect((await send(origin, { path: page })).text).toContain('tetap.bin');
    expect((await send(origin, { method: 'DELETE', path: deletion })).status).toBe(204);
    expect((await send(origin, { path: file })).status).toBe(404);
  });

  test('stored files count for the share of their address and for the whole store', async () => {
    const first = await open();
    const kept = await upload(first.origin, randomBytes(900 * KB), from('192.0.2.1'));
    await upload(first.origin, randomBytes(900 * KB), from('192.0.2.2'));
    const { origin } = await open({ DATA_DIR: first.dataDir });
    for (const address of ['192.0.2.1', '192.0.2.3']) {
      const refused = await eventually(
        () => tryOut(origin, 300 * KB, address),
        ({ status }) => status === 507,
      );
      expectRefusal(refused, 507);
    }
    expect((await send(origin, { method: 'DELETE', path: kept.deletion })).status).toBe(204);
    const sizes = [700 * KB, 300 * KB].map((size) => upload(origin, randomBytes(size), from('192.0.2.1')));
    expect(await Promise.all(sizes)).toHaveLength(2);
  });

  test('files that have expired meanwhile are swept at once', async () => {
    setClock(Date.now());
    const first = await open();
    const { result, page } = await upload(first.origin, randomBytes(MB / 2), { path: '/upload?expires=9s' });
    setClock(result.expired);
    const { origin, kept } = await open({ DATA_DIR: first.dataDir });
    await expect.poll(kept).toHaveLength(0);
    expect((await send(origin, { path: page })).status).toBe(410);
  });
});
