import { randomBytes } from 'node:crypto';
import { request as openRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { from } from '../../../support/client.ts';
import { createUpload, OFFSET_STREAM, offsetOf, patch, TUS } from '../../../support/resumable.ts';
import { send } from '../../../support/upload-client.ts';
import type { Tally } from './tally.ts';

const CONTENT = randomBytes(600_000);
const CLIENTS = 100;
const CUT_AFTER_MS = 300;

/** Uploads that are cut, and continued, abandoned or removed. */
export function startResumable(origin: string, tally: Tally): void {
  tally.every(3_000, 'resumable', async (turn) => {
    const headers = from(`198.19.0.${turn % CLIENTS}`);
    const { answer, path } = await createUpload(origin, CONTENT.length, { headers });
    tally.expect('resumable creation', answer.status, [201]);
    if (path) await continueUpload(path, turn);
  });

  const expect = (status: number, wanted: number) => tally.expect('resumable', status, [wanted]);

  async function continueUpload(path: string, turn: number): Promise<void> {
    await sendAndCut(path);
    const isAbandoned = turn % 5 === 0;
    const isRemoved = turn % 5 === 1;
    if (isRemoved) expect((await send(origin, { method: 'DELETE', path, headers: TUS })).status, 204);
    if (!isAbandoned && !isRemoved) {
      const offset = await offsetOf(origin, path);
      expect((await patch(origin, path, offset, CONTENT.subarray(offset))).status, 204);
    }
    expect((await send(origin, { path })).status, isAbandoned ? 409 : isRemoved ? 404 : 200);
  }

  /** Begins to send everything, and cuts the connection. */
  async function sendAndCut(path: string): Promise<void> {
    const headers = { ...OFFSET_STREAM, 'Upload-Offset': '0', 'Content-Length': String(CONTENT.length) };
    const request = openRequest(origin, { method: 'PATCH', path, headers, agent: false });
    request.on('error', () => {});
    request.write(CONTENT.subarray(0, 300_000));
    await sleep(CUT_AFTER_MS);
    request.destroy();
  }
}
