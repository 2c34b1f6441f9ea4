import { onTestFinished } from 'vitest';
import { readConfig } from '../../../src/app/config.ts';
import type { Finding } from '../../../src/doctor/check.ts';
import { runCheck } from '../../../src/doctor/check.ts';
import { type DoctorContext, openContext } from '../../../src/doctor/context.ts';

/** What the checks use in an installation with these variables. */
export function contextOf(environment: Record<string, string>): DoctorContext {
  const { context, close } = openContext(readConfig(environment, '0.0.0'));
  onTestFinished(close);
  return context;
}

/** Runs a check; returns its findings as lines, `level: text`. */
export async function findings(check: AsyncGenerator<Finding>, limitMs = 1_000): Promise<string[]> {
  const lines: string[] = [];
  for await (const { level, text } of runCheck(check, limitMs)) lines.push(`${level}: ${text}`);
  return lines;
}
