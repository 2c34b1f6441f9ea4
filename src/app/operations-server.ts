import type { Report } from '../domain/operational-event.ts';
import type { ListingView } from '../http/health.ts';
import { createOperationsApp } from '../http/operations/app.ts';
import { openServer } from '../http/server.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Config } from './config.ts';
import { GRACE_MS } from './grace.ts';
import type { SupervisedThread } from './threads/supervisor.ts';

interface OperationsServerOptions {
  config: Config;
  maxConnections: number;
  view: ListingView;
  threads: ReadonlyMap<string, SupervisedThread>;
  /** The metrics of the main thread; those of the others are requested at each scrape. */
  metrics: Metrics;
  report: Report;
}

interface OperationsServer {
  address: string;
  stop(): Promise<void>;
}

/**
 * Opens the server for metrics and health, where METRICS_PORT asks for one. Its answers are about this
 * process, so no other one listens there.
 */
export async function openOperationsServer(
  options: OperationsServerOptions,
): Promise<OperationsServer | undefined> {
  const { config, maxConnections, view, threads, metrics, report } = options;
  if (config.metricsPort === null) return undefined;
  const { formatMetrics, METRICS_CONTENT_TYPE } = await import('../telemetry/metrics/registry.ts');
  metrics.measureThreads(threads);
  metrics.measureDependencies(view.dependencies);
  metrics.measureWebhooks({ webhooks: () => view.state()?.webhooks ?? [], now: view.now });
  const read = async () => {
    const others = [...threads.values()].map((thread) => thread.readMetrics());
    return formatMetrics(await Promise.all([metrics.read(), ...others]));
  };
  const server = await openServer(
    { host: config.metricsHost, port: config.metricsPort },
    {
      max: maxConnections,
      onRefused: (count) => report({ type: 'connections-refused', origin: 'operations', count }),
    },
  );
  server.serve(createOperationsApp(view, { contentType: METRICS_CONTENT_TYPE, read }, report).callback());
  report({ type: 'measuring', address: server.address });
  return { address: server.address, stop: () => server.close(GRACE_MS) };
}
