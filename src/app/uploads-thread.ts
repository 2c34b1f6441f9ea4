import type { ConnectionShares } from '../http/server/connection-shares.ts';
import { createLingering } from '../http/server/linger.ts';
import { reportConnections } from '../http/server/report-connections.ts';
import { openServer } from '../http/server.ts';
import { createUploadApp } from '../http/uploads/app.ts';
import { uploadDocuments } from '../http/uploads/documents.ts';
import { createFileTraffic } from '../http/uploads/file-traffic.ts';
import { networksOf } from '../network/ip-address.ts';
import { renderSiteDocuments, UPLOAD_ROBOTS } from '../publishing/site-files.ts';
import { levelOf } from '../telemetry/describe-event.ts';
import { uploadGauges } from '../telemetry/metrics/gauges.ts';
import { openMetrics } from '../telemetry/metrics.ts';
import { checkDependencies, type RunningChecks, workedFor } from './check-dependencies.ts';
import type { Config } from './config.ts';
import { openUploadJob } from './open-uploads.ts';
import type { ThreadContext, ThreadJob } from './threads/run-thread.ts';

export interface UploadsData {
  config: Config;
  connections: ConnectionShares;
  /** The port to bind, the same at each restart. */
  port: number;
}

/** Starts the uploads: limiter, storage, quota, sweep, and the server of their origin. */
export async function start(data: UploadsData, context: ThreadContext): Promise<ThreadJob> {
  const { config } = data;
  const { url: _configured, ...limits } = config.upload;
  const metrics = await openMetrics(config.metricsPort !== null, 'uploads');
  const isVerbose = config.logLevel === 'debug' || config.logLevel === 'trace';
  let checking: RunningChecks | undefined;
  const report = metrics.countEvents((event) => {
    const worked = workedFor(event);
    if (worked) checking?.noteSuccess(worked);
    // What the log does not show, such as each request, does not cross to the main thread.
    if (isVerbose || levelOf(event) !== 'debug') context.report(event);
  });
  const job = await openUploadJob(config, report);
  const { promise: checked, resolve: noteChecked } = Promise.withResolvers<void>();
  checking = checkDependencies({
    checks: job.checks,
    report,
    onChange(states, reasons) {
      context.post({ type: 'dependencies', states, reasons });
      noteChecked();
    },
    elapsedMs: () => performance.now(),
  });
  const origins = await context.origins;
  const url = origins.uploads;
  let isStopping = false;
  const { timeZone, contact } = config;
  const site = await renderSiteDocuments({ robots: UPLOAD_ROBOTS, contact, now: Date.now() });
  const documents = uploadDocuments({ url, ...limits, timeZone, contact, site, now: Date.now });
  metrics.measure(uploadGauges(job.measured));
  const lingering = createLingering();
  const app = createUploadApp({
    ...job,
    ...limits,
    lingering,
    documents,
    url,
    listingUrl: origins.listing,
    report,
    timeZone,
    contact,
    fileTraffic:
      limits.fileTrafficBytes === null
        ? undefined
        : createFileTraffic(limits.fileTrafficBytes, () => performance.now()),
    isStopping: () => isStopping,
    now: Date.now,
    countDocument: metrics.countDocuments('uploads'),
  });
  await context.requestPort();
  // A large upload may take long: it is limited by a minimum rate, not by a time.
  const server = await openServer({ ...config, port: data.port, fd: config.sockets.uploads }, app, {
    requestMs: 0,
    max: data.connections.uploads,
    maxPerClient: config.upload.trustProxy === null ? data.connections.uploadsPerClient : undefined,
    networksOf,
    lingering,
    ...reportConnections('uploads', report),
  });
  // A request that arrives once the thread is ready gets the states of all dependencies.
  await checked;

  return {
    address: server.address,
    readMetrics: metrics.read,
    async stop() {
      isStopping = true;
      checking.stop();
      await server.close(config.shutdown);
      await job.close();
    },
  };
}
