import { styleText } from 'node:util';
import { storeFolder } from '../app/open-store.ts';
import { checkChannels } from '../doctor/channels.ts';
import { type Check, forJobs, type Level, pluralize, runCheck } from '../doctor/check.ts';
import { checkConfiguration, checkPublicAddresses } from '../doctor/configuration.ts';
import { checkSource } from '../doctor/source.ts';
import { checkStore } from '../doctor/store.ts';
import { checkLimiter, checkScanner } from '../doctor/upload-services.ts';
import { checkUploadStorage } from '../doctor/upload-storage.ts';
import { checkWebPush } from '../doctor/web-push.ts';
import { redactText } from '../domain/setting-url.ts';
import { storageFolder } from '../uploads/storage/drivers.ts';
import { parseArguments } from './arguments.ts';
import { actAsOwner } from './data-owner.ts';
import { loadConfig } from './environment.ts';

/** All checks, in order of dependency: the first problem often explains the later ones. */
const CHECKS: Record<string, Check> = {
  Configuration: checkConfiguration,
  Store: forJobs(['listing', 'refresh'], checkStore),
  'Upload storage': forJobs(['uploads'], checkUploadStorage),
  Limiter: forJobs(['uploads'], checkLimiter),
  Scanner: forJobs(['uploads'], checkScanner),
  'Web Push': forJobs(['listing', 'refresh'], checkWebPush),
  Channels: forJobs(['listing', 'refresh'], checkChannels),
  'Public addresses': checkPublicAddresses,
  Source: forJobs(['refresh'], checkSource),
};

/** The timeout of a finding, without a request to the source. */
const LOCAL_TIMEOUT_MS = 10_000;
const COLOURS = { ok: 'green', off: 'dim', warning: 'yellow', problem: 'red' } as const;
const LEVEL_WIDTH = 'problem'.length;

/** Checks everything that the service depends on. Resolves with exit code 0 when there is no problem. */
export async function doctor(args: string[]): Promise<number> {
  parseArguments(args, {});
  const config = loadConfig();
  const folders = [config.dataDir, storeFolder(config), storageFolder(config.upload.storageUrl)];
  await actAsOwner(...folders.filter((folder) => folder !== undefined));
  const { delayMs, timeoutMs } = config.source;
  // The result of each request is a finding. The request may follow a redirect, after the same delay.
  const findingTimeoutMs = LOCAL_TIMEOUT_MS + delayMs + 2 * timeoutMs;
  const counts: Record<Level, number> = { ok: 0, off: 0, warning: 0, problem: 0 };
  for (const [name, check] of Object.entries(CHECKS)) {
    console.log(styleText('bold', name));
    await runCheck(check, config, findingTimeoutMs, (level, text) => {
      counts[level] += 1;
      console.log(format(level, text));
    });
  }
  console.log(`\n${formatSummary(counts)}`);
  return counts.problem > 0 ? 1 : 0;
}

function format(level: Level, text: string): string {
  return `  ${styleText(COLOURS[level], level.padEnd(LEVEL_WIDTH))}  ${redactText(text)}`;
}

function formatSummary({ problem, warning }: Record<Level, number>): string {
  const problems = problem === 0 ? 'No problem' : pluralize(problem, 'problem');
  return warning === 0 ? `${problems}.` : `${problems}, ${pluralize(warning, 'warning')}.`;
}
