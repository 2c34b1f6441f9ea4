import { openCrawlerJob } from '../app/open-crawler.ts';
import type { RefreshSummary } from '../crawler/refresh.ts';
import { AppError, describeError } from '../domain/errors.ts';
import type { Change } from '../domain/event.ts';
import type { Report } from '../domain/operational-event.ts';
import { redactSetting } from '../domain/redact.ts';
import { describe } from '../telemetry/describe.ts';
import { loadConfig, loadEnvironment } from './environment.ts';
import { createProgress } from './progress.ts';
import { describeStartError, untilSignal } from './serve.ts';

/** One refresh now. The exit code is 0 only if the crawl was good. */
export async function refresh(args: string[]): Promise<number> {
  const config = loadConfig(loadEnvironment());
  if (!config) return 1;
  const unknown = args.find((arg) => arg !== '--force');
  if (unknown) return fail(`there is no option ${unknown}; there is --force`);

  const progress = createProgress(process.stdout);
  try {
    const job = await openCrawlerJob(config, createPrinter(progress.show, progress.say));
    try {
      if (!job.store.shared)
        return fail(
          `CACHE_URL=${redactSetting(config.cacheUrl)} is seen by this process only: set it to what the service uses`,
        );
      const stop = new AbortController();
      void untilSignal().then((signal) => stop.abort(new Error(`stopped by ${signal}`)));
      const summary = await job.refresh({ force: args.includes('--force'), signal: stop.signal });
      progress.end();
      console.log(describeSummary(summary));
      return 0;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      progress.end();
      const stands = (await job.store.readSnapshot()) ? 'what was good stands' : 'there is no listing yet';
      return fail(`Refused; ${stands}: ${describeError(error)}`);
    } finally {
      await job.close();
    }
  } catch (error) {
    progress.end();
    return fail(describeStartError(error));
  }
}

function fail(message: string): number {
  console.error(message);
  return 1;
}

/** Progress is drawn, trouble is said, and the end is told by the summary. */
function createPrinter(
  show: (page: string, done: number, total: number | undefined) => void,
  say: (line: string) => void,
): Report {
  return (event) => {
    if (event.type === 'page-read') show(event.page, event.done, event.total);
    else if (event.type !== 'refresh-finished' && event.type !== 'refresh-refused') say(describe(event));
  };
}

const MAX_CHANGES_SHOWN = 20;

function describeSummary({ anime, scheduled, groups, pages, changes }: RefreshSummary): string {
  const from = pages === 0 ? 'by another process' : `from ${pages} pages`;
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
    case 'left':
      return `left: ${change.title}`;
  }
}
