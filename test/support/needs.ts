import { spawnSync } from 'node:child_process';
import { describe, test } from 'vitest';

/** Whether a program can be run on this machine. */
export function hasProgram(name: string): boolean {
  return spawnSync(name, ['--version']).error === undefined;
}

/** `describe` for tests with a requirement. Without it they are skipped with a message, but never on CI. */
export function describeWith(isThere: boolean, what: string): typeof describe | typeof describe.skip {
  return isMissing(isThere, what) ? describe.skip : describe;
}

/** `test` for a test with a requirement. Without it the test is skipped with a message, but never on CI. */
export function testWith(isThere: boolean, what: string): typeof test | typeof test.skip {
  return isMissing(isThere, what) ? test.skip : test;
}

function isMissing(isThere: boolean, what: string): boolean {
  if (isThere || process.env.CI) return false;
  console.warn(`Tests are skipped that need ${what}.`);
  return true;
}
