import { randomBytes } from 'node:crypto';
import { request as openRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ask, from } from '../../../support/client.ts';
import { every } from './every.ts';
import type { Tally } from './tally.ts';

const CONTENT = randomBytes(600_000);
const TUS = { 'Tus-Resumable': '1.0.0' };
const CLIENTS = 100;
const CUT_AFTER_MS = 300;

type Course = (upload: Upload) => Promise<void>;

interface Upload {
  path: string;
  /** Sends the bytes from `offset` up to `end`; resolves with the status. */
  send(offset: number, end: number): Promise<number>;
  /** Begins to send the rest, and cuts the connection. */
  cut(offset: number): Promise<void>;
  offset(): Promise<number>;
  remove(): Promise<number>;
}

/** Uploads that are sent in pieces, cut and continued, abandoned or removed. */
export function startResumable(origin: string, ask: Ask, tally: Tally): void {
  const courses: Course[] = [inPieces, cutAndContinued, abandoned, inPieces, removed];

  every(3_000, 'resumable', tally, async (turn) => {
    const headers = {
      ...TUS,
      'Upload-Length': String(CONTENT.length),
      ...from(`198.19.0.${turn % CLIENTS}`),
    };
    const { status, headers: answered } = await ask({ method: 'POST', path: '/files', headers });
    tally.expect('resumable creation', status, [201]);
    if (!answered.location) return;
    await courses[turn % courses.length]?.(toUpload(new URL(answered.location).pathname));
  });

  const expect = (outcome: string | number, wanted: number) => tally.expect('resumable', outcome, [wanted]);

  async function inPieces({ path, send }: Upload): Promise<void> {
    expect(await send(0, 200_000), 204);
    expect(await send(200_000, CONTENT.length), 204);
    expect((await ask({ path })).status, 200);
  }

  async function cutAndContinued({ path, cut, offset, send }: Upload): Promise<void> {
    await cut(0);
    expect(await send(await offset(), CONTENT.length), 204);
    expect((await ask({ path })).status, 200);
  }

  async function abandoned({ path, cut }: Upload): Promise<void> {
    await cut(0);
    expect((await ask({ path })).status, 409);
  }

  async function removed({ path, send, remove }: Upload): Promise<void> {
    expect(await send(0, 100_000), 204);
    expect(await remove(), 204);
    expect((await ask({ path })).status, 404);
  }

  function toUpload(path: string): Upload {
    const bodyHeaders = (offset: number) => ({
      ...TUS,
      'Content-Type': 'application/offset+octet-stream',
      'Upload-Offset': String(offset),
    });
    return {
      path,
      async send(offset, end) {
        const body = CONTENT.subarray(offset, end);
        const { status } = await ask({ method: 'PATCH', path, headers: bodyHeaders(offset), body });
        return status;
      },
      async cut(offset) {
        const headers = { ...bodyHeaders(offset), 'Content-Length': String(CONTENT.length - offset) };
        const request = openRequest(origin, { method: 'PATCH', path, headers, agent: false });
        request.on('error', () => {});
        request.write(CONTENT.subarray(offset, offset + 300_000));
        await sleep(CUT_AFTER_MS);
        request.destroy();
      },
      async offset() {
        const { status, headers } = await ask({ method: 'HEAD', path, headers: TUS });
        expect(status, 200);
        return Number(headers['upload-offset']);
      },
      async remove() {
        const { status } = await ask({ method: 'DELETE', path, headers: TUS });
        return status;
      },
    };
  }
}
