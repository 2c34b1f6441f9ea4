import { setFlagsFromString } from 'node:v8';
import type { Config } from '../app/config.ts';
import { type Service, startService } from '../app/service.ts';
import { describeError } from '../domain/errors.ts';
import type { Report } from '../domain/operational-event.ts';
import { redactText } from '../domain/setting-url.ts';
import { createLog, createReport } from '../telemetry/log.ts';
import { parseArguments } from './arguments.ts';
import { loadConfig } from './environment.ts';

/** Runs the service until a signal stops it. Resolves with the exit code. */
export async function serve(args: string[]): Promise<number> {
  parseArguments(args, {});
  const config = loadConfig();
  return runService(config, createReport(await createLog(config.logLevel)));
}

/** Runs a service until a signal stops it; a second signal ends the process at once. Resolves with the exit code. */
export async function runService(
  config: Config,
  report: Report,
  onStarted: (service: Service) => void = () => {},
): Promise<number> {
  const signal = waitForSignal();
  try {
    const service = await startService(config, report);
    // Thousands of connections at once would make the young generation grow from 17 to 67 MB, for good.
    setFlagsFromString('--semi-space-growth-factor=1');
    onStarted(service);
    report({ type: 'stopping', signal: await signal });
    await service.stop();
    report({ type: 'stopped' });
    return 0;
  } catch (error) {
    console.error(describeStartError(error, config));
    return 1;
  }
}

/** Resolves with the first SIGTERM or SIGINT. */
export function waitForSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  process.once('SIGTERM', resolve);
  process.once('SIGINT', resolve);
  return promise;
}

/** Why a port cannot be bound, by the code of the system. */
const PORT_ERRORS: Record<string, string> = {
  EADDRINUSE: 'is in use; stop the program that uses it, or',
  EACCES: 'may not be bound by this user;',
};

/** Says why the service cannot start and, where one is to blame, which variable to change. */
export function describeStartError(error: unknown, config: Config): string {
  // The system sets these properties when a port cannot be bound.
  const { code = '', port } = error as NodeJS.ErrnoException & { port?: number };
  const portError = PORT_ERRORS[code];
  if (portError && port !== undefined) return `Port ${port} ${portError} set ${portVariable(port, config)}.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    const advice = 'set HOST, or METRICS_HOST, to an address of this machine';
    return `Tayang cannot start: ${redactText(describeError(error))}; ${advice}.`;
  }
  return `Tayang cannot start: ${redactText(describeError(error))}.`;
}

function portVariable(port: number, { metricsPort, upload }: Config): string {
  if (port === upload.port) return 'UPLOAD_PORT';
  return port === metricsPort ? 'METRICS_PORT' : 'PORT';
}
