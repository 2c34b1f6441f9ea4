import type { Config } from '../app/config.ts';
import { type CrawlerJob, openCrawlerJob } from '../app/open-crawler.ts';
import { storeFolder } from '../app/open-store.ts';
import type { RefreshSummary } from '../crawler/refresh-summary.ts';
import { AppError, describeError, isUnreachable } from '../domain/errors.ts';
import type { Change } from '../domain/event.ts';
import type { Report } from '../domain/operational-event.ts';
import { redactSetting, redactText } from '../domain/setting-url.ts';
import { describeEvent } from '../telemetry/describe-event.ts';
import { parseArguments } from './arguments.ts';
import { actAsOwner } from './data-owner.ts';
import { loadConfig } from './environment.ts';
import { CONSOLE, createProgress, endSentence, type Printer, type Progress } from './printer.ts';
import { describeStartError, waitForSignal } from './serve.ts';

/** Refreshes once. Resolves with exit code 0 only if the crawl was good. */
export async function refresh(args: string[]): Promise<number> {
  const { force } = parseArguments(args, { options: { force: { type: 'boolean', default: false } } }).values;
  const config = loadConfig();
  await actAsOwner(storeFolder(config) ?? config.dataDir);

  const stop = new AbortController();
  void waitForSignal().then((signal) => stop.abort(new Error(`stopped by ${signal}`)));
  const printer = { ...CONSOLE, progress: createProgress(process.stdout) };
  return refreshOnce(config, { force, signal: stop.signal }, printer);
}

/** Refreshes once with a configuration. Resolves with the exit code. */
export async function refreshOnce(
  config: Config,
  request: { force: boolean; signal: AbortSignal },
  { progress, print, printError }: Printer & { progress: Progress },
): Promise<number> {
  let job: CrawlerJob | undefined;
  try {
    job = await openCrawlerJob(config, createPrinter(progress));
    if (!job.store.shared) {
      const place = redactSetting(config.cacheUrl);
      printError(`No other process sees CACHE_URL=${place}: set it to the value that the service uses.`);
      return 1;
    }
    const summary = await job.refresh(request);
    progress.end();
    print(describeSummary(summary));
    return 0;
  } catch (error) {
    const snapshot = await job?.store.readSnapshot().catch(() => undefined);
    progress.end();
    printError(job ? describeFailure(error, Boolean(snapshot)) : describeStartError(error, config));
    return 1;
  } finally {
    await job?.close();
  }
}

function describeFailure(error: unknown, hasSnapshot: boolean): string {
  if (!(error instanceof AppError))
    return endSentence(`The refresh failed: ${redactText(describeError(error))}`);
  const kept = hasSnapshot ? 'Still serving the last good listing.' : 'There is no listing yet.';
  const reason = endSentence(error.message);
  if (!isUnreachable(error)) return `Refused: ${reason} ${kept}`;
  // A reason that begins with a host keeps its spelling.
  return `${reason.replace(/^the /u, 'The ')} ${kept} Run npm run doctor to check.`;
}

/** Shows progress and prints failures. The summary shows the result. */
function createPrinter({ show, print }: Progress): Report {
  return (event) => {
    if (event.type === 'page-read') show(event.page, event.done, event.total);
    else if (event.type !== 'refresh-finished' && event.type !== 'refresh-refused')
      print(describeEvent(event));
  };
}

const MAX_CHANGES_SHOWN = 20;

function describeSummary({ anime, scheduled, groups, pages, changes }: RefreshSummary): string {
  const from = pages === 0 ? 'by another process' : `${pages} pages`;
  const counts = `Refreshed ${from}: ${anime} anime, ${scheduled} entries in ${groups} groups of the schedule.`;
  const shown = changes.slice(0, MAX_CHANGES_SHOWN).map((change) => `  ${describeChange(change)}`);
  const more = changes.length > shown.length ? [`  and ${changes.length - shown.length} more`] : [];
  return [
    counts,
    changes.length === 0 ? 'Nothing changed.' : `${changes.length} changes:`,
    ...shown,
    ...more,
  ].join('\n');
}

function describeChange(change: Change): string {
  switch (change.type) {
    case 'added':
      return `added: ${change.title}, episode ${change.episode}`;
    case 'new-episode':
      return `new episode: ${change.title}, episode ${change.episode}`;
    case 'moved':
      return `moved: ${change.title}, ${change.from} to ${change.to}`;
    case 'renamed':
      return `renamed: ${change.title}, from ${change.from} to ${change.slug}`;
    case 'left':
      return `left: ${change.title}`;
  }
}
