import { spawnSync } from 'node:child_process';
import { describe, test } from 'vitest';

/** Whether that program can be run on this machine. */
export function hasProgram(name: string): boolean {
  return spawnSync(name, ['--version']).error === undefined;
}

/** `describe`, for tests that need what a machine may lack: there they are skipped aloud, but never on CI. */
export function describeWith(isThere: boolean, what: string): typeof describe | typeof describe.skip {
  return isMissing(isThere, what) ? describe.skip : describe;
}

/** `test`, for one that needs what a machine may lack: there it is skipped aloud, but never on CI. */
export function testWith(isThere: boolean, what: string): typeof test | typeof test.skip {
  return isMissing(isThere, what) ? test.skip : test;
}

function isMissing(isThere: boolean, what: string): boolean {
  if (isThere || process.env.CI) return false;
  console.warn(`Tests are skipped that need ${what}.`);
  return true;
}
