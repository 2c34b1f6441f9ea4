import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import Koa, { type Context } from 'koa';
import type { Defer } from './defer.ts';
import { findFreePort } from './redis.ts';
import { streamOf } from './uploads.ts';

/** The key of storages; only real servers look whether requests are signed with theirs. */
export const S3_KEY = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'testing' };
const BUCKET = 'uploads';
const MIN_PART_BYTES = 5 * 1024 * 1024;
/** The number of keys on a page of a listing. */
const MAX_LISTED = 1_000;

interface StoredObject {
  bytes: Buffer;
  /** With its quotes. */
  etag: string;
  modified: Date;
}

/** What the bucket holds. It outlives a server, like a disk. */
interface Memory {
  objects: Map<string, StoredObject>;
  /** Unfinished multipart uploads by their ids, each with its parts by their numbers. */
  uploads: Map<string, { key: string; parts: Map<number, StoredObject> }>;
}

export type TestS3 = Awaited<ReturnType<typeof openTestS3>>;

/**
 * Starts a server of S3 on a free port of the loopback, with one bucket in memory: as much of S3
 * as a storage uses. Storages that are opened in this process have its key from then on.
 */
export async function openTestS3(defer: Defer) {
  Object.assign(process.env, S3_KEY);
  const memory: Memory = { objects: new Map(), uploads: new Map() };
  const app = new Koa();
  app.silent = true;
  const port = await findFreePort();
  let server: Server;

  const s3 = {
    /** An address with a new prefix each time, unless one is given. */
    url: (prefix: string = randomUUID()) =>
      `s3://${BUCKET}?region=us-east-1&endpoint=http://127.0.0.1:${port}&prefix=${prefix}`,
    /** The requests in order, like `GET uploads/key`. */
    requests: [] as string[],
    /** The keys of complete objects. */
    keys: (prefix = ''): string[] =>
      [...memory.objects.keys()].filter((key) => key.startsWith(prefix)).sort(),
    /** The keys of unfinished multipart uploads. */
    unfinished: (): string[] => [...memory.uploads.values()].map(({ key }) => key),
    memory,
    /** Called with each request first; unless it returns false, it has answered the request. */
    fault: undefined as ((ctx: Context) => unknown) | undefined,
    /** Ends the server and its connections; the objects are kept. */
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
    /** Starts the server again at the same port. */
    async start() {
      server = createServer(app.callback()).listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
  };

  app.use(async (ctx) => {
    // Clients set their clock by this header, and Node adds one that ignores a shifted clock.
    ctx.set('Date', new Date().toUTCString());
    s3.requests.push(`${ctx.method} ${ctx.path.slice(1)}`);
    if (s3.fault && (await s3.fault(ctx)) !== false) return;
    const [, bucket, ...path] = ctx.path.split('/');
    const key = decodeURIComponent(path.join('/'));
    if (bucket !== BUCKET) refuse(ctx, 404, 'NoSuchBucket');
    else if (key === '') answerForBucket(ctx, memory);
    else if (ctx.query.uploadId !== undefined) await answerForUpload(ctx, memory);
    else await answerForObject(ctx, memory, key);
  });
  await s3.start();
  defer(() => s3.stop());
  return s3;
}

function answerForBucket(ctx: Context, memory: Memory): void {
  if (ctx.method === 'HEAD') ctx.status = 200;
  else sendXml(ctx, ctx.query.uploads === undefined ? listObjects(ctx, memory) : listUploads(ctx, memory));
}

async function answerForObject(ctx: Context, { objects, uploads }: Memory, key: string): Promise<void> {
  switch (ctx.method) {
    case 'POST': {
      const id = randomUUID();
      uploads.set(id, { key, parts: new Map() });
      const result = `<UploadId>${id}</UploadId>`;
      return sendXml(ctx, `<InitiateMultipartUploadResult>${result}</InitiateMultipartUploadResult>`);
    }
    case 'PUT':
      return store(ctx, objects, key, await buffer(ctx.req));
    case 'DELETE':
      objects.delete(key);
      ctx.status = 204;
      return;
    default:
      return sendObject(ctx, objects.get(key));
  }
}

/** Parts of a multipart upload, its completion, and its end. */
async function answerForUpload(ctx: Context, { objects, uploads }: Memory): Promise<void> {
  const id = String(ctx.query.uploadId);
  const body = await buffer(ctx.req);
  const upload = uploads.get(id);
  if (!upload) return refuse(ctx, 404, 'NoSuchUpload');
  if (ctx.method === 'PUT') {
    const source = ctx.get('x-amz-copy-source');
    const copied = objects.get(source.slice(source.indexOf('/') + 1));
    if (source && !copied) return refuse(ctx, 404, 'NoSuchKey');
    store(ctx, upload.parts, Number(ctx.query.partNumber), copied?.bytes ?? body);
    if (copied) sendXml(ctx, `<CopyPartResult><ETag>${copied.etag}</ETag></CopyPartResult>`);
    return;
  }
  if (ctx.method === 'DELETE') {
    uploads.delete(id);
    ctx.status = 204;
    return;
  }
  const named = [...body.toString().matchAll(/<Part>.*?<\/Part>/gsu)].map(([part]) => ({
    etag: /<ETag>(.*?)<\/ETag>/u.exec(part)?.[1]?.replaceAll('&quot;', '"'),
    stored: upload.parts.get(Number(/<PartNumber>(\d+)</u.exec(part)?.[1])),
  }));
  const pieces = named.flatMap(({ etag, stored }) => (stored?.etag === etag ? [stored!.bytes] : []));
  if (pieces.length < named.length) return refuse(ctx, 400, 'InvalidPart');
  if (pieces.slice(0, -1).some(({ length }) => length < MIN_PART_BYTES))
    return refuse(ctx, 400, 'EntityTooSmall');
  uploads.delete(id);
  store(ctx, objects, upload.key, Buffer.concat(pieces));
  sendXml(ctx, '<CompleteMultipartUploadResult></CompleteMultipartUploadResult>');
}

function store<Key>(ctx: Context, place: Map<Key, StoredObject>, key: Key, bytes: Buffer): void {
  const etag = JSON.stringify(createHash('md5').update(bytes).digest('hex'));
  place.set(key, { bytes, etag, modified: new Date() });
  ctx.set('ETag', etag);
  ctx.status = 200;
}

/** Sends an object, or the range of it that is asked for. */
function sendObject(ctx: Context, stored: StoredObject | undefined): void {
  if (!stored) {
    refuse(ctx, 404, 'NoSuchKey');
    return;
  }
  const { bytes, etag, modified } = stored;
  const [, first, last = ''] = /^bytes=(\d+)-(\d*)$/u.exec(ctx.get('Range')) ?? [];
  const start = Number(first ?? 0);
  const end = Math.min(last === '' ? bytes.length : Number(last) + 1, bytes.length);
  if (first !== undefined && start >= bytes.length) {
    refuse(ctx, 416, 'InvalidRange');
    return;
  }
  ctx.status = first === undefined ? 200 : 206;
  if (first !== undefined) ctx.set('Content-Range', `bytes ${start}-${end - 1}/${bytes.length}`);
  ctx.set({ ETag: etag, 'Last-Modified': modified.toUTCString() });
  ctx.type = 'application/octet-stream';
  ctx.body = streamOf(bytes.subarray(start, end));
  ctx.length = end - start;
}

function listUploads({ query }: Context, { uploads }: Memory): string {
  const listed = [...uploads]
    .filter(([, { key }]) => key.startsWith(String(query.prefix ?? '')))
    .map(([id, { key }]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`);
  return `<ListMultipartUploadsResult>${listed.join('')}</ListMultipartUploadsResult>`;
}

function listObjects({ query }: Context, { objects }: Memory): string {
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

function sendXml(ctx: Context, xml: string): void {
  ctx.status = 200;
  ctx.type = 'application/xml';
  ctx.body = xml;
}

/** Answers with an error in the format of S3. */
export function refuse(ctx: Context, status: number, code: string): void {
  ctx.status = status;
  ctx.type = 'application/xml';
  ctx.body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>because</Message></Error>`;
}
