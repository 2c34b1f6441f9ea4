import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Context } from 'koa';
import { chooseDialect } from '../../src/http/uploads/dialects/dialects.ts';
import { readMultipart } from '../../src/http/uploads/multipart.ts';

export function multipartRequest(pieces: Buffer[], boundary: string) {
  const headers = {
    'content-type': `multipart/form-data; boundary="${boundary}"`,
    'transfer-encoding': 'chunked',
  };
  return Object.assign(Readable.from(pieces, { objectMode: false }), { headers });
}

/** The part of a context that `readMultipart` uses. */
export function multipartContext(request: ReturnType<typeof multipartRequest>): Context {
  return {
    request: {},
    req: request,
    path: '/upload',
    state: {},
    get: () => request.headers['content-type'],
  } as unknown as Context;
}

/** Reads a body in these chunks as the service does; resolves with the bytes of its file. */
export async function receiveMultipart(pieces: Buffer[], boundary: string): Promise<Buffer> {
  const staged: Buffer[] = [];
  const context = multipartContext(multipartRequest(pieces, boundary));
  let announced = 0;
  const stage = async (stream: Readable, field: string) => {
    chooseDialect(context, field, announced++);
    staged.push(await buffer(stream));
  };
  // One promise for all would keep whatever has ever waited for it.
  const never = new Promise<never>(() => {});
  await readMultipart(context, stage, never, 'file');
  return Buffer.concat(staged);
}

/** Cuts a body at these offsets, each of which may be larger than the body. */
export function splitBody(body: Buffer, offsets: number[]): Buffer[] {
  const cuts = [0, ...offsets.map((at) => at % (body.length + 1)).sort((a, b) => a - b), body.length];
  return cuts.slice(1).map((end, i) => body.subarray(cuts[i], end));
}
