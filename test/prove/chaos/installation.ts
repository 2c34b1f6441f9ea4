import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Defer } from '../../support/defer.ts';
import { type Origins, startHaproxy } from '../../support/proxies.ts';
import { findFreePort, openTestRedis, type TestRedis } from '../../support/redis.ts';
import type { RealS3 } from '../../support/s3-bucket.ts';
import type { Journal } from './journal.ts';
import { type SupervisedProcess, superviseProcess } from './supervised-process.ts';
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts';

const PROCESSES = 3;
const SHARED = {
  SERVE: 'listing,uploads,refresh',
  // As often as a short run needs; everything else is as in production.
  REFRESH_CRON: '*/15 * * * * *',
  REFRESH_PEEK: '2s',
  SOURCE_DELAY: '0',
  SHUTDOWN_DELAY: '3s',
  TRUST_PROXY: '1',
  WEBHOOK_PRIVATE: 'on',
  // The clients send more in a minute than one person does.
  UPLOAD_RATE_LIMIT: '10000',
  UPLOAD_QUOTA: '50 GB',
  UPLOAD_ADDRESS_QUOTA: '50 GB',
  LOG_LEVEL: 'info',
};

/** A process with its own ways to Redis and to S3. */
export interface Member {
  process: SupervisedProcess;
  redis: TcpProxy;
  s3: TcpProxy;
}

export interface Installation {
  front: Origins;
  members: Member[];
  redis: TestRedis;
  /** The address of the uploads, without a proxy before it. */
  bucket: string;
}

interface Options {
  folder: string;
  sourceUrl: string;
  webhookUrl: string;
  s3: RealS3;
  journal: Journal;
  signal: AbortSignal;
}

/** Starts Redis, S3, the processes and HAProxy in front of them. Resolves once all processes are ready. */
export async function startInstallation(defer: Defer, options: Options): Promise<Installation> {
  const { folder, sourceUrl, webhookUrl, journal, signal } = options;
  const redis = await openTestRedis(defer);
  const bucket = (await options.s3.open(defer)).url();
  const storage = new URL(new URLSearchParams(bucket.split('?')[1]).get('endpoint')!);
  const ports = await Promise.all(
    Array.from({ length: PROCESSES }, async () => ({
      listing: await findFreePort(),
      uploads: await findFreePort(),
      operations: await findFreePort(),
    })),
  );
  const origin = (port: number) => `http://127.0.0.1:${port}`;
  const behind = ports.map(({ listing, uploads }) => ({
    listing: origin(listing),
    uploads: origin(uploads),
  }));
  const front = await startHaproxy(behind, defer);
  const members = await Promise.all(
    ports.map(async (own, index): Promise<Member> => {
      const ways = {
        redis: await openTcpProxy(defer, redis.port),
        s3: await openTcpProxy(defer, Number(storage.port)),
      };
      const data = path.join(folder, `data-${index + 1}`);
      await mkdir(data, { recursive: true });
      const redisUrl = `redis://127.0.0.1:${ways.redis.port}?prefix=chaos`;
      const environment = {
        ...SHARED,
        AWS_ACCESS_KEY_ID: process.env.AWS_ACCESS_KEY_ID!,
        AWS_SECRET_ACCESS_KEY: process.env.AWS_SECRET_ACCESS_KEY!,
        PORT: String(own.listing),
        UPLOAD_PORT: String(own.uploads),
        METRICS_PORT: String(own.operations),
        BASE_URL: front.listing,
        UPLOAD_URL: front.uploads,
        SOURCE_URLS: sourceUrl,
        WEBHOOK_URLS: webhookUrl,
        DATA_DIR: data,
        CACHE_URL: redisUrl,
        UPLOAD_LIMITER_URL: redisUrl,
        UPLOAD_STORAGE_URL: bucket.replace(storage.origin, origin(ways.s3.port)),
      };
      const logFile = path.join(folder, `process-${index + 1}.log`);
      return {
        ...ways,
        process: superviseProcess(defer, { index, ports: own, environment, logFile, journal, signal }),
      };
    }),
  );
  await Promise.all(members.map((member) => member.process.whenReady()));
  return { front, members, redis, bucket };
}
