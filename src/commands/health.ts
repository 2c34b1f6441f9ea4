import type { Config } from '../app/config.ts';
import { describeError } from '../domain/errors.ts';
import { parseArguments, UsageError } from './arguments.ts';
import { loadConfig, loadEnvironment } from './environment.ts';

const TIMEOUT_MS = 4_000;

/** Asks the service that runs with the same configuration whether it lives. Resolves with exit code 0 when it answers. */
export async function health(args: string[]): Promise<number> {
  parseArguments(args, {});
  const config = loadConfig(loadEnvironment());
  if (!config) return 1;
  const address = healthAddress(config);
  try {
    const { ok, status } = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    console.log(`${address} answered ${status}`);
    return ok ? 0 : 1;
  } catch (error) {
    console.error(`${address} did not answer: ${describeError(error)}`);
    return 1;
  }
}

/**
 * The operator's server speaks for the whole process; without it, the listing or the uploads do. The uploads have no
 * `/healthz`, and answer 503 on every path while their thread does not run.
 */
function healthAddress({ serves, host, port, upload, metricsHost, metricsPort }: Config): string {
  if (metricsPort) return addressOf(metricsHost, metricsPort, '/healthz');
  if (serves.listing && port) return addressOf(host, port, '/healthz');
  if (serves.uploads && upload.port) return addressOf(host, upload.port, '/robots.txt');
  throw new UsageError('This process listens on no port that is known here: set METRICS_PORT.');
}

/** What a server binds with these addresses includes the loopback. */
const LOOPBACK: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

function addressOf(host: string, port: number, path: string): string {
  const name = LOOPBACK[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}${path}`;
}
