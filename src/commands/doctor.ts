import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';
import type { Config } from '../app/config.ts';
import { openSnapshotStore } from '../crawler/snapshot-store.ts';
import { STORE_DRIVERS } from '../crawler/stores/drivers.ts';
import type { Finding, Level } from '../doctor/check.ts';
import { listChecks, once } from '../doctor/checks.ts';
import type { DoctorContext } from '../doctor/context.ts';
import { examine } from '../doctor/examine.ts';
import { counted } from '../doctor/format.ts';
import { driverFor } from '../domain/driver-url.ts';
import { redactText } from '../domain/redact.ts';
import { createPageFetcher } from '../source/fetch-page.ts';
import { otakudesu } from '../source/sites/otakudesu/site.ts';
import { STORAGE_DRIVERS } from '../uploads/storage/drivers.ts';
import { loadConfig, loadEnvironment } from './environment.ts';

/** What a check may take beside the requests it makes: a disk or a store that hangs is told of, not waited for. */
const LOCAL_LIMIT_MS = 10_000;
const CLOSE_LIMIT_MS = 2_000;
const COLOURS = { ok: 'green', warning: 'yellow', problem: 'red' } as const;
const MAX_LEVEL = 'problem'.length;

/** Looks at everything the service leans on and changes nothing. The exit code is 0 when there is no problem. */
export async function doctor(args: string[]): Promise<number> {
  const config = loadConfig(loadEnvironment());
  if (!config) return 1;
  if (args.length > 0) {
    console.error(`there is no option ${args[0]}; doctor has none`);
    return 1;
  }
  const { patient, close } = openContext(config);
  // Each mirror may be asked for two pages, and one is remembered that may not be configured.
  const limitMs = LOCAL_LIMIT_MS + 2 * (config.source.urls.length + 1) * config.source.timeoutMs;
  const tally: Record<Level, number> = { ok: 0, warning: 0, problem: 0 };
  for (const check of listChecks(patient)) {
    console.log(styleText('bold', check.name));
    for await (const finding of examine(check, limitMs)) {
      tally[finding.level] += 1;
      console.log(format(finding));
    }
  }
  await Promise.race([close(), sleep(CLOSE_LIMIT_MS)]);
  console.log(`\n${sumUp(tally)}`);
  return tally.problem > 0 ? 1 : 0;
}

/** Opens what is there to open only when a check asks for it, and nothing twice. */
function openContext(config: Config): { patient: DoctorContext; close: () => Promise<void> } {
  const { cacheUrl, source, upload } = config;
  const opened: { close(): Promise<void> }[] = [];
  const opening = <Adapter extends { close(): Promise<void> }>(open: () => Promise<Adapter>) =>
    once(async () => {
      const adapter = await open();
      opened.push(adapter);
      return adapter;
    });
  const fetcher = createPageFetcher({ ...source, origins: source.urls, now: Date.now });
  opened.push(fetcher);

  return {
    patient: {
      settings: config,
      site: otakudesu,
      fetcher,
      openStore: opening(async () => {
        const store = await driverFor(cacheUrl, STORE_DRIVERS)(cacheUrl);
        return openSnapshotStore(store, Math.random);
      }),
      openStorage: opening(() => {
        const open = driverFor(upload.storageUrl, STORAGE_DRIVERS);
        // What it would report, its check finds.
        return open(upload.storageUrl, { clock: Date.now, report: () => {} });
      }),
      now: Date.now,
      elapsedMs: () => performance.now(),
      randomBytes,
    },
    async close() {
      await Promise.allSettled(opened.map((one) => one.close()));
    },
  };
}

function format({ level, text }: Finding): string {
  return `  ${styleText(COLOURS[level], level.padEnd(MAX_LEVEL))}  ${redactText(text)}`;
}

function sumUp({ problem, warning }: Record<Level, number>): string {
  const problems = problem === 0 ? 'No problem' : counted(problem, 'problem');
  return warning === 0 ? `${problems}.` : `${problems}, ${counted(warning, 'warning')}.`;
}
