import { workerData } from 'node:worker_threads';
import type { ConnectionShares } from '../http/descriptor-limit.ts';
import { openServer } from '../http/server.ts';
import { createUploadApp } from '../http/uploads/app.ts';
import { uploadDocuments } from '../http/uploads/documents.ts';
import { UPLOAD_ROBOTS } from '../publishing/site-files.ts';
import { openMetrics } from '../telemetry/metrics.ts';
import { ownerOf } from '../uploads/limiter-keys.ts';
import type { Config } from './config.ts';
import { openUploadJob } from './open-uploads.ts';
import { renderSite } from './site-documents.ts';
import { runThread, type ThreadContext, type ThreadJob } from './thread.ts';

/** How long what is in flight may take to finish when the service stops. */
const GRACE_MS = 30_000;
/** Behind the readers of the listing, ahead of the crawler. */
const NICENESS = 2;

/** What the thread is given. */
export interface UploadsData {
  config: Config;
  /** How many connections it may have. */
  connections: ConnectionShares;
  /** The port to bind; once it was picked, the same one at each restart. */
  port: number;
}

await runThread((context) => startUploads(workerData as UploadsData, context), NICENESS);

/** The uploads, on an origin of their own: limiter, storage, quota, sweep, and the server. */
async function startUploads(data: UploadsData, context: ThreadContext): Promise<ThreadJob> {
  const { config } = data;
  const { url: _configured, ...limits } = config.upload;
  const metrics = await openMetrics(config.metricsPort !== null, 'uploads');
  const report = metrics.follow(withoutRequests(context.report, config.logLevel));
  const job = await openUploadJob(config, report);
  const origins = await context.origins;
  const url = origins.uploads;
  await context.portIsFree();
  // An honest upload may take long: it is bounded by a least rate, not by a time.
  const server = await openServer(
    { ...config, port: data.port },
    {
      requestMs: 0,
      max: data.connections.uploads,
      maxPerClient: config.upload.trustProxy === null ? data.connections.uploadsPerClient : undefined,
      clientOf: ownerOf,
    },
  );
  const now = Date.now();
  const site = await renderSite({
    ...{ robots: UPLOAD_ROBOTS, version: config.version, contact: config.contact, now },
    origins,
  });
  const { timeZone } = config;
  const documents = uploadDocuments({ url, ...limits, timeZone, site, now: Date.now });
  metrics.watchStorage(job.usage);
  const app = createUploadApp({
    ...{ ...job, ...limits, documents, url, report },
    timeZone,
    now: Date.now,
    countDocument: metrics.countDocuments('uploads'),
  });
  server.serve(app);

  return {
    address: server.address,
    readMetrics: metrics.read,
    async stop() {
      await server.close(GRACE_MS);
      await job.close();
    },
  };
}

/** Each request is an event for the log at its most verbose only: no other level sends them to the main thread. */
function withoutRequests(report: ThreadContext['report'], logLevel: string): ThreadContext['report'] {
  if (logLevel === 'debug' || logLevel === 'trace') return report;
  const verbose = ['request-answered', 'upload-received', 'limiter-refused'];
  return (event) => {
    if (!verbose.includes(event.type)) report(event);
  };
}
