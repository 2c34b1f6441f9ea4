import { AppError } from '../domain/errors.ts';
import type {
  CheckedDependencies,
  DependencyCheck,
  DependencyChecks,
  DependencyName,
} from '../domain/health.ts';
import type { Report } from '../domain/operational-event.ts';
import type { ConnectionShares } from '../http/server/connection-shares.ts';
import { openServer } from '../http/server.ts';
import { createUploadApp } from '../http/uploads/app.ts';
import { uploadDocuments } from '../http/uploads/documents.ts';
import { createFileTraffic } from '../http/uploads/file-traffic.ts';
import { networksOf } from '../network/ip-address.ts';
import { renderSiteDocuments, UPLOAD_ROBOTS } from '../publishing/site-files.ts';
import { levelOf } from '../telemetry/describe-event.ts';
import { openMetrics } from '../telemetry/metrics.ts';
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
  const report = metrics.countEvents((event) => {
    // What the log does not show, such as each request, does not cross to the main thread.
    if (isVerbose || levelOf(event) !== 'debug') context.report(event);
  });
  const job = await openUploadJob(config, report);
  const { promise: checked, resolve: noteChecked } = Promise.withResolvers<void>();
  const stopChecking = checkDependencies(job.checks, report, (states) => {
    context.post({ type: 'dependencies', states });
    noteChecked();
  });
  const origins = await context.origins;
  const url = origins.uploads;
  let isStopping = false;
  const { timeZone, contact } = config;
  const site = await renderSiteDocuments({ robots: UPLOAD_ROBOTS, contact, now: Date.now() });
  const documents = uploadDocuments({ url, ...limits, timeZone, contact, site, now: Date.now });
  metrics.measure(job.gauges);
  const app = createUploadApp({
    ...job,
    ...limits,
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
    onRefused: (count) => report({ type: 'connections-refused', origin: 'uploads', count }),
  });
  // A request that arrives once the thread is ready gets the states of all dependencies.
  await checked;

  return {
    address: server.address,
    readMetrics: metrics.read,
    async stop() {
      isStopping = true;
      stopChecking();
      await server.close(config.shutdown);
      await job.close();
    },
  };
}

/** The two together are the longest time until a change is known: less than five seconds. */
const CHECK_EVERY_MS = 1_500;
const CHECK_TIMEOUT_MS = 2_500;

/**
 * Checks each dependency again and again, apart from the others, and reports when it begins and ends to fail. A check that
 * takes too long counts as failed, and the next one begins when it has ended. Calls back with the states of all, first when
 * each has been checked once, then whenever one has changed. Returns a function that stops it.
 */
function checkDependencies(
  checks: DependencyChecks,
  report: Report,
  onChange: (states: CheckedDependencies) => void,
): () => void {
  // `Object.entries` loses the type of the names.
  const entries = Object.entries(checks) as [DependencyName, DependencyCheck][];
  const states: CheckedDependencies = {};
  const downSince = new Map<DependencyName, number>();
  let isStopped = false;

  function note(name: DependencyName, state: 'ok' | 'down', error?: unknown): void {
    if (states[name] === state || isStopped) return;
    states[name] = state;
    const since = downSince.get(name);
    if (state === 'down') {
      downSince.set(name, performance.now());
      // The message of such an error is for clients, its cause for the operator.
      report({ type: 'dependency-down', name, error: (error instanceof AppError && error.cause) || error });
    } else if (since !== undefined) {
      report({ type: 'dependency-restored', name, downMs: performance.now() - since });
    }
    if (Object.keys(states).length === entries.length) onChange({ ...states });
  }

  async function run(name: DependencyName, check: DependencyCheck): Promise<void> {
    const timeout = AbortSignal.timeout(CHECK_TIMEOUT_MS);
    const noAnswer = () => note(name, 'down', new Error(`no answer within ${CHECK_TIMEOUT_MS} ms`));
    timeout.addEventListener('abort', noAnswer);
    await check(timeout).then(
      () => note(name, 'ok'),
      (error: unknown) => note(name, 'down', error),
    );
    timeout.removeEventListener('abort', noAnswer);
    if (!isStopped) setTimeout(run, CHECK_EVERY_MS, name, check).unref();
  }

  for (const [name, check] of entries) void run(name, check);
  return () => {
    isStopped = true;
  };
}
