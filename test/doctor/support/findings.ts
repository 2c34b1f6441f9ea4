import type { Finding } from '../../../src/doctor/check.ts';
import { runCheck } from '../../../src/doctor/check.ts';
import type { Settings } from '../../../src/doctor/context.ts';

export const MB = 1024 ** 2;

/** The settings of an installation without problems. */
export function settings(differences: Partial<Settings> = {}): Settings {
  return {
    port: 3000,
    baseUrl: null,
    dataDir: '/data',
    cacheUrl: 'memory:',
    timeZone: 'Asia/Jakarta',
    refreshCron: null,
    readsDetails: true,
    source: { urls: ['https://one.example'], delayMs: 500, timeoutMs: 15_000, proxy: undefined },
    webhooks: { receivers: [], secret: null },
    upload: {
      port: 3001,
      url: null,
      storageUrl: 'file:/data/uploads',
      limiterUrl: 'memory:',
      scannerUrl: null,
      maxBytes: MB,
      quotaBytes: MB,
      ownerBytes: MB,
      ttlMs: 86_400_000,
      resumeTtlMs: 21_600_000,
    },
    ...differences,
  };
}

/** Runs a check; returns its findings as lines, `level: text`. */
export async function findings(check: AsyncGenerator<Finding>, limitMs = 1_000): Promise<string[]> {
  const lines: string[] = [];
  for await (const { level, text } of runCheck(check, limitMs)) lines.push(`${level}: ${text}`);
  return lines;
}
