import { setFlagsFromString } from 'node:v8';
import { prepareStoreFolder } from '../app/folders.ts';
import { type Service, startService } from '../app/service.ts';
import type { Report } from '../domain/operational-event.ts';
import { createLog, createReport } from '../telemetry/log.ts';
import { parseArguments } from './arguments.ts';
import { loadConfig } from './environment.ts';
import { describeStartError } from './start-error.ts';

/** Runs the service until a signal stops it. Resolves with the exit code. */
export async function serve(args: string[]): Promise<number> {
  parseArguments(args, {});
  const config = loadConfig();
  const report = createReport(await createLog(config.logLevel));
  const signal = waitForSignal();
  try {
    await prepareStoreFolder(config);
    const service = await startService(config, report);
    // Thousands of connections at once would make the young generation grow from 17 to 67 MB, for good.
    setFlagsFromString('--semi-space-growth-factor=1');
    await stopOnSignal(signal, service, report);
    return 0;
  } catch (error) {
    console.error(describeStartError(error, config));
    return 1;
  }
}

/** Waits for the signal and stops the service. A second signal ends the process at once. */
export async function stopOnSignal(signal: Promise<string>, service: Service, report: Report): Promise<void> {
  report({ type: 'stopping', signal: await signal });
  await service.stop();
  report({ type: 'stopped' });
}

/** Resolves with the first SIGTERM or SIGINT. */
export function waitForSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  process.once('SIGTERM', resolve);
  process.once('SIGINT', resolve);
  return promise;
}
