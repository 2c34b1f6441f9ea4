import type { AppError } from '../domain/errors.ts';
import { type Check, type Finding, ok, warning } from './check.ts';
import type { Settings } from './context.ts';
import { type MirrorVisit, servesSite } from './survey.ts';

export interface MirrorsOptions {
  source: Settings['source'];
  /** What the last good crawl was served by. */
  remembered: () => Promise<string | null>;
  visits: () => Promise<MirrorVisit[]>;
}

/** Each mirror, in the order in which a crawl tries them. One of them is enough, so the others are warnings then. */
export function checkMirrors({ source, remembered, visits }: MirrorsOptions): Check {
  return {
    name: 'Mirrors',
    async *find() {
      const visited = await visits();
      const known = await remembered();
      const failure = visited.some(servesSite) ? 'warning' : 'problem';
      for (const visit of visited) {
        const name = visit.mirror === known ? `${visit.mirror} (which served last)` : visit.mirror;
        yield servesSite(visit)
          ? judgeServing(name, visit, source)
          : { level: failure, text: `${name}: ${describeFailure(visit, source)}` };
      }
    },
  };
}

function judgeServing(name: string, { mirror, schedule }: MirrorVisit, source: Settings['source']): Finding {
  const answered = `${name} answered in ${schedule.tookMs} ms`;
  const { origin } = new URL(schedule.url);
  if (!source.urls.includes(origin)) {
    const how = origin === mirror ? 'is not configured' : `redirects to ${origin}`;
    return warning(`${answered}, and ${how}: add ${origin} to SOURCE_URLS`);
  }
  if (origin !== mirror)
    return warning(`${answered}, and redirects to ${origin}: take it out of SOURCE_URLS`);
  if (schedule.tookMs > source.timeoutMs / 2) {
    return warning(`${answered}, more than half of what it may take: raise SOURCE_TIMEOUT`);
  }
  return ok(answered);
}

function describeFailure({ mirror, schedule }: MirrorVisit, source: Settings['source']): string {
  const { error } = schedule.result;
  if (!error) return '';
  const state = error.code.replace('source-', '');
  const { origin } = new URL(schedule.url);
  const redirected = origin === mirror ? '' : `, redirected to ${origin}`;
  return `${state} after ${schedule.tookMs} ms${redirected}: ${error.message}${advise(error, schedule.tookMs, source)}`;
}

/** Most refusals say themselves which variable mends them. */
function advise(error: AppError, tookMs: number, { timeoutMs, proxy }: Settings['source']): string {
  if (/\bSOURCE_[A-Z]/u.test(error.message)) return '';
  const gone = "set SOURCE_URLS to the site's present address";
  if (error.code !== 'source-down') return `; ${gone}`;
  const mends = [
    ...(tookMs >= timeoutMs ? ['raise SOURCE_TIMEOUT'] : []),
    ...(proxy ? ['mend SOURCE_PROXY, through which it is asked'] : []),
  ];
  return `; ${[...mends, `if it stays so, ${gone}`].join(', or ')}`;
}
