import type { Report } from '../domain/operational-event.ts';
import type { Source } from '../source/source.ts';
import type { Config } from './config.ts';

/**
 * Loads what reads the source: an HTTP client and a parser are nearly half of what a start would load, and one with a
 * snapshot that is not overdue needs neither.
 */
export async function loadSource(
  { urls: mirrors, timeoutMs, delayMs, ...options }: Config['source'],
  report: Report,
): Promise<Source> {
  const [{ createPageFetcher }, { openSource }, { otakudesu }] = await Promise.all([
    import('../source/fetch-page.ts'),
    import('../source/open-source.ts'),
    import('../source/sites/otakudesu/site.ts'),
  ]);
  const fetcher = createPageFetcher({ ...options, timeoutMs, delayMs, origins: mirrors, now: Date.now });
  return openSource(otakudesu, { mirrors, fetcher, timeoutMs, delayMs, random: Math.random, report });
}
