import path from 'node:path';
import './names.js';
import type { Defer } from '../support/defer.ts';
import { runCommand } from '../support/service.ts';
import type { RefreshOutcome } from './outcome.ts';

const NAMES = path.join(import.meta.dirname, 'names.js');

type Ended = Omit<RefreshOutcome['command'], 'tookMs'>;

/** The refresh in a process of its own, as an operator runs it. */
export async function runRefreshCommand(shared: Record<string, string>, defer: Defer): Promise<Ended> {
  const names: Record<string, string> = shared.SOURCE_URLS?.includes('.example')
    ? { NODE_OPTIONS: `--import=${NAMES}` }
    : {};
  const run = runCommand(['refresh'], { ...shared, ...names }, defer);
  const exitCode = await run.ended;
  return { exitCode, output: run.output() };
}
