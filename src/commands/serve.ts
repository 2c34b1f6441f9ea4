import { type Service, startService } from '../app/service.ts';
import { describeError } from '../domain/errors.ts';
import type { Report } from '../domain/operational-event.ts';
import { redactText } from '../domain/redact.ts';
import { createLog, createReport } from '../telemetry/log.ts';
import { loadConfig, loadEnvironment } from './environment.ts';

/** Runs the service until it is told to stop. */
export async function serve(): Promise<number> {
  const config = loadConfig(loadEnvironment());
  if (!config) return 1;
  const report = createReport(await createLog(config.logLevel));
  const stopped = untilSignal();
  try {
    const service = await startService(config, report);
    await stopOn(stopped, service, report);
    return 0;
  } catch (error) {
    console.error(describeStartError(error));
    return 1;
  }
}

/** Waits for a signal, then stops the service. A second signal ends the process at once. */
export async function stopOn(signal: Promise<string>, service: Service, report: Report): Promise<void> {
  report({ type: 'stopping', signal: await signal });
  await service.stop();
  report({ type: 'stopped' });
}

export function untilSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  process.once('SIGTERM', resolve);
  process.once('SIGINT', resolve);
  return promise;
}

export function describeStartError(error: unknown): string {
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE') return `port ${port} is taken: stop what uses it, or set PORT`;
  return `Tayang cannot start: ${redactText(describeError(error))}`;
}
