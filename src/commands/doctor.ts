import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';
import type { Config } from '../app/config.ts';
import { openSnapshotStore } from '../crawler/snapshot-store.ts';
import { STORE_DRIVERS } from '../crawler/stores/drivers.ts';
import { type Finding, type Level, pluralize, runCheck } from '../doctor/check.ts';
import { listChecks } from '../doctor/checks.ts';
import { type DoctorContext, memoize } from '../doctor/context.ts';
import { driverFor } from '../domain/driver-url.ts';
import { redactText } from '../domain/redact.ts';
import { createSource } from '../source/create-source.ts';
import { createPageFetcher } from '../source/fetch-page.ts';
import { otakudesu } from '../source/sites/otakudesu/site.ts';
import { STORAGE_DRIVERS } from '../uploads/storage/drivers.ts';
import { createWebhookClient } from '../webhooks/client.ts';
import { parseArguments } from './arguments.ts';
import { loadConfig, loadEnvironment } from './environment.ts';
import { prepareStoreFolder, prepareUploadFolder } from './folders.ts';
import { CONSOLE, type Printer } from './printer.ts';
import { wrapText } from './table.ts';

/** The timeout of a finding, without a request to the source. */
const LOCAL_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 2_000;
const COLOURS = { ok: 'green', warning: 'yellow', problem: 'red' } as const;
const LEVEL_WIDTH = 'problem'.length;

/** Checks everything that the service depends on, and changes nothing. Resolves with exit code 0 when there is no problem. */
export async function doctor(args: string[]): Promise<number> {
  parseArguments(args, {});
  const config = loadConfig(loadEnvironment());
  if (!config) return 1;
  return checkInstallation(config, CONSOLE);
}

/** Runs the checks for a configuration. Resolves with the exit code. */
export async function checkInstallation(
  config: Config,
  { print, columns = Infinity }: Pick<Printer, 'print' | 'columns'>,
): Promise<number> {
  const { context, close } = openContext(config);
  // What a request leads to is a finding, and the delay before it is shorter than its timeout.
  const timeoutMs = LOCAL_TIMEOUT_MS + 2 * config.source.timeoutMs;
  const counts: Record<Level, number> = { ok: 0, warning: 0, problem: 0 };
  for (const { name, findings } of listChecks(context)) {
    print(styleText('bold', name));
    for await (const finding of runCheck(findings, timeoutMs)) {
      counts[finding.level] += 1;
      print(format(finding, columns));
    }
  }
  await Promise.race([close(), sleep(CLOSE_TIMEOUT_MS)]);
  print(`\n${formatSummary(counts)}`);
  return counts.problem > 0 ? 1 : 0;
}

/** Opens the store and the storage when a check first needs them. */
function openContext(config: Config): { context: DoctorContext; close: () => Promise<void> } {
  const { cacheUrl, source, upload } = config;
  const opened: { close(): Promise<void> }[] = [];
  const memoizeOpen = <Driver extends { close(): Promise<void> }>(open: () => Promise<Driver>) =>
    memoize(async () => {
      const driver = await open();
      opened.push(driver);
      return driver;
    });
  const fetcher = createPageFetcher({ ...source, origins: source.urls, now: Date.now });
  const webhookClient = createWebhookClient(config.webhooks.allowsPrivate);
  opened.push(fetcher, webhookClient);

  return {
    context: {
      settings: config,
      site: otakudesu,
      openSource: (report) =>
        createSource(otakudesu, { ...source, mirrors: source.urls, fetcher, random: Math.random, report }),
      webhookClient,
      openStore: memoizeOpen(async () => {
        await prepareStoreFolder(config);
        const store = await driverFor(cacheUrl, STORE_DRIVERS)(cacheUrl);
        return openSnapshotStore(store, Math.random);
      }),
      openStorage: memoizeOpen(async () => {
        await prepareUploadFolder(config);
        const open = driverFor(upload.storageUrl, STORAGE_DRIVERS);
        // The check reports the failures of the storage.
        return open(upload.storageUrl, { clock: Date.now, report: () => {} });
      }),
      now: Date.now,
      random: Math.random,
      randomBytes,
    },
    async close() {
      await Promise.allSettled(opened.map((one) => one.close()));
    },
  };
}

function format({ level, text }: Finding, columns: number): string {
  const label = styleText(COLOURS[level], level.padEnd(LEVEL_WIDTH));
  return `  ${label}  ${wrapText(redactText(text), ' '.repeat(LEVEL_WIDTH + 4), columns)}`;
}

function formatSummary({ problem, warning }: Record<Level, number>): string {
  const problems = problem === 0 ? 'No problem' : pluralize(problem, 'problem');
  return warning === 0 ? `${problems}.` : `${problems}, ${pluralize(warning, 'warning')}.`;
}
