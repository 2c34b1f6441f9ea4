import { onTestFinished } from 'vitest';
import { readConfig } from '../../../src/app/config.ts';
import { type Check, runCheck } from '../../../src/doctor/check.ts';
import { type DoctorContext, openContext } from '../../../src/doctor/context.ts';

/** What the checks use in an installation with these variables. */
export function contextOf(environment: Record<string, string>): DoctorContext {
  const { context, close } = openContext(readConfig(environment, '0.0.0'));
  onTestFinished(close);
  return context;
}

/** Runs a check; returns its findings as lines, `level: text`. */
export async function findings(check: Check, context: DoctorContext, limitMs = 1_000): Promise<string[]> {
  const lines: string[] = [];
  await runCheck(check, context, limitMs, (level, text) => lines.push(`${level}: ${text}`));
  return lines;
}
