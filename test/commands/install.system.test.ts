import { execFile } from 'node:child_process';
import { copyFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/service.ts';

test('npm ci says nothing of the Node that runs it, because Node 24 is among the packages', async () => {
  const folder = await temporaryFolder(onTestFinished);
  const project = { name: 'any', version: '1.0.0', engines: { node: '>=99' } };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(project));
  const lock = { ...project, lockfileVersion: 3, packages: { '': project } };
  await writeFile(path.join(folder, 'package-lock.json'), JSON.stringify(lock));
  await copyFile(path.resolve(import.meta.dirname, '../../.npmrc'), path.join(folder, '.npmrc'));

  // Without the settings that npm hands to its scripts, this one among them.
  const { PATH, HOME } = process.env;
  const options = { cwd: folder, env: { PATH, HOME } };
  const { stdout, stderr } = await promisify(execFile)('npm', ['ci', '--offline', '--no-audit'], options);
  expect(stderr).toBe('');
  expect(stdout).toContain('up to date');
});
