import { type Config, readConfig } from '../../../src/app/config.ts';
import { type Check, runCheck } from '../../../src/doctor/check.ts';

export const configOf = (environment: Record<string, string>): Config => readConfig(environment, '0.0.0');

/** Runs a check; returns its findings as lines, `level: text`. */
export async function findings(check: Check, config: Config, limitMs = 1_000): Promise<string[]> {
  const lines: string[] = [];
  await runCheck(check, config, limitMs, (level, text) => lines.push(`${level}: ${text}`));
  return lines;
}
