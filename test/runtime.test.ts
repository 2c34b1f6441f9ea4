import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const RUNTIME = path.resolve(import.meta.dirname, '../src/runtime.js');
/** Keeps every twentieth of many pages, as a cache does, and prints how much memory they take for each of their bytes. */
const SCRIPT = `
const kept = [];
for (let index = 0; index < 20_000; index += 1) {
  const page = Buffer.from('x'.repeat(3_000));
  if (index % 20 === 0) kept.push(page);
}
globalThis.gc();
console.log(process.memoryUsage().arrayBuffers / (kept.length * 3_000));
`;

test('pages that outlive their neighbours take no more than three times their size', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...['--expose-gc', '--import', RUNTIME, '--input-type=module', '--eval', SCRIPT],
  ]);
  expect(Number(stdout)).toBeLessThan(3);
});
