import type { OperationalEvent } from '../domain/operational-event.ts';
import { redactText } from '../domain/setting-url.ts';
import type { Config } from './config.ts';
import type { Origins } from './threads/messages.ts';

/** What an operator asks first of a process that starts: version, origins, jobs, store and source. */
export function describeStart(config: Config, origins: Origins): OperationalEvent[] {
  const { serves, refreshCron, peekMs, upload, cacheUrl, source } = config;
  const served = (['listing', 'uploads'] as const).filter((origin) => serves[origin]);
  const timer = refreshCron ? `${refreshCron}${peekMs ? `, page 1 every ${peekMs / 1_000} s` : ''}` : 'off';
  const lines = {
    version: `Tayang ${config.version}, Node ${process.versions.node}`,
    origins: served.map((origin) => `${origins[origin]} (${origin})`).join(', ') || 'none',
    jobs: [...served, ...(serves.refresh ? [`refresh (${timer})`] : [])].join(', '),
    store: `${cacheUrl}${serves.uploads ? `, uploads in ${upload.storageUrl}` : ''}`,
    source: source.urls.join(', '),
  };
  const entries = Object.entries(lines) as [keyof typeof lines, string][];
  return entries.map(([what, value]) => ({ type: 'starting', what, value: redactText(value) }));
}
