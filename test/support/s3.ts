import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { Context } from 'koa';
import type { Defer } from './defer.ts';
import { findFreePort } from './redis.ts';
import { S3Memory } from './s3-memory.ts';

const require = createRequire(import.meta.url);
const S3rver = require('s3rver');

/** The only key that s3rver knows. */
export const S3_KEY = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };
const BUCKET = 'uploads';

export interface TestS3 {
  /** Another folder of the bucket each time, unless it is given. */
  url(prefix?: string): string;
  /** `GET uploads/key`, in order. */
  requests: string[];
  /** The keys of what anybody can read. */
  keys(prefix?: string): string[];
  /** The keys of what is unfinished. */
  unfinished(): string[];
  memory: S3Memory;
  /** Is asked first: what it does not return false for, it has answered. */
  fault: ((ctx: Context) => unknown) | undefined;
  /** Ends the server in the middle of things; what it has, stays. */
  stop(): Promise<void>;
  /** Starts it again, at the same port. */
  start(): Promise<void>;
}

/** A real S3 API on a free port of the loopback, which checks signatures; with what s3rver lacks of it. */
export async function openTestS3(defer: Defer): Promise<TestS3> {
  const memory = new S3Memory(BUCKET);
  const app = new S3rver({ silent: true, vhostBuckets: false });
  app.store = memory;
  app.context.store = memory;
  app.silent = true;
  app.on('error', () => {});
  const port = await findFreePort();
  let server: Server;

  const s3: TestS3 = {
    url(prefix = randomUUID()) {
      return `s3://${BUCKET}?region=us-east-1&endpoint=http://127.0.0.1:${port}&prefix=${prefix}`;
    },
    requests: [],
    keys: (prefix = '') => [...memory.objects.keys()].filter((key) => key.startsWith(prefix)).sort(),
    unfinished: () => [...memory.uploads.values()].map(({ key }) => key),
    memory,
    fault: undefined,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
    async start() {
      server = createServer(app.callback()).listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
  };

  app.middleware.unshift(async (ctx: Context, next: () => Promise<void>) => {
    s3.requests.push(`${ctx.method} ${ctx.path.slice(1)}`);
    const isAnswered = s3.fault && (await s3.fault(ctx)) !== false;
    if (!isAnswered && !answerMissing(ctx, memory)) await next();
  });
  await s3.start();
  defer(() => s3.stop());
  return s3;
}

/** ListMultipartUploads and AbortMultipartUpload. */
function answerMissing(ctx: Context, { uploads }: S3Memory): boolean {
  if (ctx.method === 'DELETE' && ctx.query.uploadId) {
    const isThere = uploads.delete(String(ctx.query.uploadId));
    if (isThere) ctx.status = 204;
    else refuse(ctx, 404, 'NoSuchUpload');
    return true;
  }
  if (ctx.method !== 'GET' || ctx.query.uploads === undefined) return false;
  const listed = [...uploads]
    .filter(([, { key }]) => key.startsWith(String(ctx.query.prefix ?? '')))
    .map(([id, { key }]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`);
  ctx.type = 'application/xml';
  ctx.body = `<ListMultipartUploadsResult>${listed.join('')}</ListMultipartUploadsResult>`;
  return true;
}

/** An error as S3 words it. */
export function refuse(ctx: Context, status: number, code: string): void {
  ctx.status = status;
  ctx.type = 'application/xml';
  ctx.body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>because</Message></Error>`;
}

/** For storages that are opened in the test's own process. */
export function useS3Key(): void {
  Object.assign(process.env, S3_KEY);
}
