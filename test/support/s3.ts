import { randomUUID } from 'node:crypto';
import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Middleware } from 'koa';
import S3rver from 's3rver';
import type { Defer } from './defer.ts';
import { temporaryFolder } from './service.ts';

const BUCKET = 'tayang-test';
/** What the server takes for a user. */
export const S3_CREDENTIALS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

export interface TestS3 {
  /** An address with keys of its own. */
  url(): string;
  /** Every key there is. */
  keys(): Promise<string[]>;
  /** The uploads in parts that are under way. */
  unfinished(): Promise<string[]>;
  /** As if those had begun so long ago. */
  letPass(ms: number): Promise<void>;
  /** How many requests there were of each method. */
  requests: string[];
  /** Nobody is there any more, and what is under way breaks off. */
  stop(): Promise<void>;
  /** Starts it again, at the same port and with what was in it. */
  start(): Promise<void>;
}

/** A real S3 API on a free port of the loopback, with its objects in a folder. */
export async function openTestS3(defer: Defer): Promise<TestS3> {
  Object.assign(process.env, S3_CREDENTIALS);
  const directory = await temporaryFolder(defer);
  const uploads = path.join(directory, BUCKET, '._S3rver_uploads');
  const requests: string[] = [];
  let port = 0;
  let server: S3rver & { httpServer?: { closeAllConnections(): void } };

  async function start(): Promise<void> {
    const options = { address: '127.0.0.1', port, silent: true, directory };
    server = new S3rver({ ...options, configureBuckets: [{ name: BUCKET }] });
    server.silent = true;
    server.middleware.unshift(note, firstByte, partsUnderWay(uploads));
    ({ port } = await server.run());
  }

  const note: Middleware = (ctx, next) => {
    requests.push(`${ctx.method} ${ctx.path.slice(BUCKET.length + 1)}${ctx.search}`);
    return next();
  };

  async function stop(): Promise<void> {
    const stopped = server.close();
    server.httpServer?.closeAllConnections();
    await stopped;
  }

  await start();
  defer(stop);
  const unfinished = () => readdir(uploads).catch(() => []);
  return {
    ...{ requests, start, stop, unfinished },
    url: () => `s3://${BUCKET}?region=us-east-1&endpoint=http://127.0.0.1:${port}&prefix=${randomUUID()}`,
    async keys() {
      const files = await readdir(path.join(directory, BUCKET), { recursive: true });
      return files.filter((file) => file.endsWith('._S3rver_object'));
    },
    async letPass(ms) {
      const then = (Date.now() - ms) / 1_000;
      for (const id of await unfinished()) await utimes(path.join(uploads, id, 'key'), then, then);
    },
  };
}

/** The server takes `bytes=0-0` for all of it. */
const firstByte: Middleware = async (ctx, next) => {
  const isMeant = ctx.get('Range') === 'bytes=0-0';
  if (isMeant) ctx.req.headers.range = 'bytes=0-1';
  await next();
  if (isMeant && ctx.status === 206) ctx.body = (await buffer(ctx.body as Readable)).subarray(0, 1);
};

/** The two requests of the API that this server lacks: to list the uploads in parts, and to abort one. */
function partsUnderWay(uploads: string): Middleware {
  return async (ctx, next) => {
    const { uploadId, prefix = '' } = ctx.query;
    if (ctx.method === 'DELETE' && typeof uploadId === 'string') {
      await rm(path.join(uploads, path.basename(uploadId)), { recursive: true });
      ctx.status = 204;
    } else if (ctx.method === 'GET' && 'uploads' in ctx.query) {
      const found = await Promise.all(
        (await readdir(uploads).catch(() => [])).map(async (id) => {
          const file = path.join(uploads, id, 'key');
          return { id, key: await readFile(file, 'utf8'), at: (await stat(file)).mtime.toISOString() };
        }),
      );
      const own = found.filter(({ key }) => key.startsWith(String(prefix)));
      const xml = own.map(
        ({ id, key, at }) =>
          `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${at}</Initiated></Upload>`,
      );
      ctx.type = 'application/xml';
      ctx.body = `<ListMultipartUploadsResult>${xml.join('')}</ListMultipartUploadsResult>`;
    } else {
      await next();
    }
  };
}
