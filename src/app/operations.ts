import type { Report } from '../domain/operational-event.ts';
import type { ConnectionShares } from '../http/descriptor-limit.ts';
import type { ListingView } from '../http/health.ts';
import { createOperationsApp } from '../http/operations/app.ts';
import { openServer } from '../http/server.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Config } from './config.ts';
import type { SupervisedThread } from './supervisor.ts';

export interface OperationsOptions {
  config: Config;
  connections: ConnectionShares;
  view: ListingView;
  threads: ReadonlyMap<string, SupervisedThread>;
  /** Of the main thread; the others are asked for theirs. */
  metrics: Metrics;
  report: Report;
}

/** How long what is in flight may take to finish when the service stops. */
const GRACE_MS = 30_000;

export interface OperationsServer {
  address: string;
  stop(): Promise<void>;
}

/**
 * Opens the operator's listener, where METRICS_PORT asks for one. The port is of each process's own, also where the
 * others are shared: what is told there is of this process.
 */
export async function openOperations(options: OperationsOptions): Promise<OperationsServer | undefined> {
  const { config, connections, view, threads, metrics, report } = options;
  if (config.metricsPort === null) return undefined;
  const { formatMetrics, METRICS_TYPE } = await import('../telemetry/thread-metrics.ts');
  metrics.watchThreads(threads);
  const read = async () => {
    const others = [...threads.values()].map((thread) => thread.readMetrics());
    return formatMetrics(await Promise.all([metrics.read(), ...others]));
  };
  const place = { host: config.metricsHost, port: config.metricsPort, reusePort: false };
  const server = await openServer(place, { max: connections.operations });
  server.serve(createOperationsApp(view, { contentType: METRICS_TYPE, read }, report).callback());
  report({ type: 'measuring', address: server.address });
  return { address: server.address, stop: () => server.close(GRACE_MS) };
}
