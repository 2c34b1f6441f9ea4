import { type Config, readConfig } from '../../../src/app/config.ts';
import type { Finding } from '../../../src/doctor/check.ts';
import { runCheck } from '../../../src/doctor/check.ts';

/** The configuration of an installation with these variables. */
export function configOf(environment: Record<string, string>): { config: Config } {
  return { config: readConfig(environment, '0.0.0') };
}

/** Runs a check; returns its findings as lines, `level: text`. */
export async function findings(check: AsyncGenerator<Finding>, limitMs = 1_000): Promise<string[]> {
  const lines: string[] = [];
  for await (const { level, text } of runCheck(check, limitMs)) lines.push(`${level}: ${text}`);
  return lines;
}
