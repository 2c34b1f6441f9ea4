import type { Config } from './config.ts';

/** Finds jobs in SERVE that can do nothing with these settings. The start refuses them. */
export function findUselessJobs({ serves, refreshCron, cacheUrl }: Config): string[] {
  const crawls = serves.refresh && refreshCron !== null;
  const isPrivate = cacheUrl === 'memory:';
  const problems: string[] = [];
  if (serves.refresh && !serves.listing && !serves.uploads && !crawls)
    problems.push('SERVE=refresh does nothing with REFRESH_CRON=off; set a time, or another SERVE');
  if (serves.refresh && !serves.listing && isPrivate)
    problems.push(
      'CACHE_URL=memory: hides what SERVE=refresh reads from every other process; set a store that they share',
    );
  if (serves.listing && !crawls && isPrivate)
    problems.push(
      'SERVE has listing, which could never answer: with CACHE_URL=memory: this process has to crawl itself (SERVE with refresh, and a REFRESH_CRON), or set a store that it shares',
    );
  return problems;
}

/** A setting that another one makes useless. The service runs without its effect. */
export interface Contradiction {
  /** Whether something breaks, rather than has no effect. */
  isBroken: boolean;
  text: string;
}

/** The valid settings that contradict one another, for the log at the start and for the doctor. */
export function findContradictions({ baseUrl, pushContact, webhooks, source }: Config): Contradiction[] {
  const found: Contradiction[] = [];
  if (pushContact !== null && baseUrl !== null && !isSecureContext(baseUrl))
    found.push({
      isBroken: true,
      text: `browsers allow notifications only on https: and on localhost, and BASE_URL is ${baseUrl}; set it to the https: address, or leave PUSH_CONTACT out`,
    });
  if (webhooks.secret !== null && webhooks.receivers.length === 0)
    found.push({
      isBroken: false,
      text: 'WEBHOOK_SECRET signs nothing without WEBHOOK_URLS; set both, or neither',
    });
  if (source.delayMs >= source.timeoutMs)
    found.push({
      isBroken: true,
      text: `no redirect of the source can be followed: SOURCE_DELAY (${source.delayMs} ms), which passes before it, is not shorter than SOURCE_TIMEOUT (${source.timeoutMs} ms); raise SOURCE_TIMEOUT`,
    });
  return found;
}

/** Where browsers allow what needs a secure origin. */
function isSecureContext(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'https:' || /^(?:localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/u.test(hostname);
}
