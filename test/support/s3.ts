import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { Context } from 'koa';
import type { Defer } from './defer.ts';
import { findFreePort } from './redis.ts';
import { S3Memory } from './s3-memory.ts';
import { isSigned } from './s3-signature.ts';

const require = createRequire(import.meta.url);
const S3rver = require('s3rver');

/** The only key that s3rver knows. */
export const S3_KEY = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };
const BUCKET = 'uploads';

export interface TestS3 {
  /** An address with a new prefix each time, unless one is given. */
  url(prefix?: string): string;
  /** The requests in order, like `GET uploads/key`. */
  requests: string[];
  /** The keys of complete objects. */
  keys(prefix?: string): string[];
  /** The keys of unfinished multipart uploads. */
  unfinished(): string[];
  memory: S3Memory;
  /** Called with each request first; unless it returns false, it has answered the request. */
  fault: ((ctx: Context) => unknown) | undefined;
  /** Ends the server and its connections; the objects are kept. */
  stop(): Promise<void>;
  /** Starts the server again at the same port. */
  start(): Promise<void>;
}

/**
 * Starts s3rver on a free port of the loopback, with a store in memory and three additions: it checks signatures, its
 * listings have pages, and unfinished uploads can be listed and aborted.
 */
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
    // Clients set their clock by this header, and the one that Node adds is not that of a shifted clock.
    ctx.set('Date', new Date().toUTCString());
    s3.requests.push(`${ctx.method} ${ctx.path.slice(1)}`);
    if (s3.fault && (await s3.fault(ctx)) !== false) return;
    if (!isSigned(ctx.req, S3_KEY.AWS_SECRET_ACCESS_KEY)) refuse(ctx, 403, 'SignatureDoesNotMatch');
    else if (isReplaced(ctx, memory)) refuse(ctx, 412, 'PreconditionFailed');
    else if (!answerMissing(ctx, memory)) await next();
  });
  await s3.start();
  defer(() => s3.stop());
  return s3;
}

/** Whether an object that is to be replaced is another by now, which s3rver does not check. */
function isReplaced({ method, headers, path }: Context, { objects }: S3Memory): boolean {
  const version = headers['if-match'];
  if (method !== 'PUT' || version === undefined) return false;
  return objects.get(decodeURIComponent(path.slice(`/${BUCKET}/`.length)))?.etag !== version;
}

/** The number of keys on a page of a listing. */
const MAX_LISTED = 1_000;

/** Answers requests that s3rver does not support on current versions of Node: listings, and aborting an upload. */
function answerMissing(ctx: Context, memory: S3Memory): boolean {
  if (ctx.method === 'DELETE' && ctx.query.uploadId) {
    const isThere = memory.uploads.delete(String(ctx.query.uploadId));
    if (isThere) ctx.status = 204;
    else refuse(ctx, 404, 'NoSuchUpload');
    return true;
  }
  if (ctx.method !== 'GET' || (ctx.query['list-type'] !== '2' && ctx.query.uploads === undefined))
    return false;
  ctx.type = 'application/xml';
  ctx.body = ctx.query.uploads === undefined ? listObjects(ctx, memory) : listUploads(ctx, memory);
  return true;
}

function listUploads({ query }: Context, { uploads }: S3Memory): string {
  const listed = [...uploads]
    .filter(([, { key }]) => key.startsWith(String(query.prefix ?? '')))
    .map(([id, { key }]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`);
  return `<ListMultipartUploadsResult>${listed.join('')}</ListMultipartUploadsResult>`;
}

function listObjects({ query }: Context, { objects }: S3Memory): string {
  const { prefix = '', delimiter = '', 'continuation-token': token = '' } = query as Record<string, string>;
  const found = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort();
  const folderOf = (key: string) => {
    const at = delimiter ? key.indexOf(delimiter, prefix.length) : -1;
    return at < 0 ? undefined : key.slice(0, at + 1);
  };
  const folders = new Set(found.map(folderOf).filter((folder) => folder !== undefined));
  const keys = found.filter((key) => folderOf(key) === undefined && key > token);
  const contents = keys.slice(0, MAX_LISTED).map((key) => {
    const { etag, modified } = objects.get(key)!;
    const about = `<ETag>${etag.replaceAll('"', '&quot;')}</ETag><LastModified>${modified.toISOString()}</LastModified>`;
    return `<Contents><Key>${key}</Key>${about}</Contents>`;
  });
  const next = keys.length > MAX_LISTED ? keys[MAX_LISTED - 1] : undefined;
  return [
    `<ListBucketResult><IsTruncated>${next !== undefined}</IsTruncated>`,
    ...(next === undefined ? [] : [`<NextContinuationToken>${next}</NextContinuationToken>`]),
    ...contents,
    ...[...folders].map((folder) => `<CommonPrefixes><Prefix>${folder}</Prefix></CommonPrefixes>`),
    '</ListBucketResult>',
  ].join('');
}

/** Answers with an error in the format of S3. */
export function refuse(ctx: Context, status: number, code: string): void {
  ctx.status = status;
  ctx.type = 'application/xml';
  ctx.body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>because</Message></Error>`;
}

/** Sets the key for storages that are opened in this process. */
export function useS3Key(): void {
  Object.assign(process.env, S3_KEY);
}
