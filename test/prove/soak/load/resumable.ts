import { randomBytes } from 'node:crypto';
import { request as openRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { from } from '../../../support/client.ts';
import { createUpload, OFFSET_STREAM, offsetOf, patch, TUS } from '../../../support/resumable.ts';
import { send } from '../../../support/upload-client.ts';
import { every } from './every.ts';
import type { Tally } from './tally.ts';

const CONTENT = randomBytes(600_000);
const CLIENTS = 100;
const CUT_AFTER_MS = 300;

/** Uploads that are sent in pieces, cut and continued, abandoned or removed. */
export function startResumable(origin: string, tally: Tally): void {
  const courses = [inPieces, cutAndContinued, abandoned, inPieces, removed];
  every(3_000, 'resumable', tally, async (turn) => {
    const headers = from(`198.19.0.${turn % CLIENTS}`);
    const { answer, path } = await createUpload(origin, CONTENT.length, { headers });
    tally.expect('resumable creation', answer.status, [201]);
    if (path) await courses[turn % courses.length]?.(path);
  });

  const expect = (status: number, wanted: number) => tally.expect('resumable', status, [wanted]);

  async function inPieces(path: string): Promise<void> {
    await append(path, 0, 200_000);
    await append(path, 200_000);
    await read(path, 200);
  }

  async function cutAndContinued(path: string): Promise<void> {
    await cut(path);
    await append(path, await offsetOf(origin, path));
    await read(path, 200);
  }

  async function abandoned(path: string): Promise<void> {
    await cut(path);
    await read(path, 409);
  }

  async function removed(path: string): Promise<void> {
    await append(path, 0, 100_000);
    expect((await send(origin, { method: 'DELETE', path, headers: TUS })).status, 204);
    await read(path, 404);
  }

  async function append(path: string, offset: number, end = CONTENT.length): Promise<void> {
    expect((await patch(origin, path, offset, CONTENT.subarray(offset, end))).status, 204);
  }

  async function read(path: string, wanted: number): Promise<void> {
    expect((await send(origin, { path })).status, wanted);
  }

  /** Begins to send everything, and cuts the connection. */
  async function cut(path: string): Promise<void> {
    const headers = { ...OFFSET_STREAM, 'Upload-Offset': '0', 'Content-Length': String(CONTENT.length) };
    const request = openRequest(origin, { method: 'PATCH', path, headers, agent: false });
    request.on('error', () => {});
    request.write(CONTENT.subarray(0, 300_000));
    await sleep(CUT_AFTER_MS);
    request.destroy();
  }
}
