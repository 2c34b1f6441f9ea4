import { readFileSync } from 'node:fs';
import path from 'node:path';

export const MANUAL = readFileSync(path.resolve(import.meta.dirname, '../../docs/operations.md'), 'utf8');

/** The lines of all blocks of code with this word after their fence in docs/operations.md. */
export function manualLines(language: string): string[] {
  const blocks = [...MANUAL.matchAll(/^ *```(\w+)\n(.*?)^ *```$/gmsu)].filter(([, one]) => one === language);
  if (blocks.length === 0) throw new Error(`the manual has no ${language}`);
  return blocks.flatMap(([, , code = '']) => code.trimEnd().split('\n'));
}
