import { execFile } from 'node:child_process';
import { copyFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import type { ApiDescription } from '../../../src/pages/api-description.ts';
import { operationsOf } from '../../support/openapi.ts';
import { createBrowserKeys } from '../../support/push-service.ts';
import { openReadyService, readJson, temporaryFolder } from '../../support/service.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const GENERATOR = path.join(ROOT, '.ci/client-generator/node_modules/openapi-typescript/bin/cli.js');
const run = promisify(execFile);

test('a client that is generated from the description compiles, has a type for each answer, and calls every operation', async () => {
  const service = await openReadyService(onTestFinished, {
    PUSH_CONTACT: 'mailto:operator@example.org',
    CHANNELS: 'discord',
    WEBHOOK_PRIVATE: 'on',
  });
  const api: ApiDescription = await readJson(fetch(`${service.listing}/openapi.json`));
  const folder = await temporaryFolder(onTestFinished);
  const file = (name: string) => path.join(folder, name);
  await writeFile(file('openapi.json'), JSON.stringify(api));
  await writeFile(file('package.json'), '{"type":"module"}');
  await symlink(path.join(ROOT, 'node_modules'), file('node_modules'));
  await copyFile(path.join(import.meta.dirname, 'client/calls.ts'), file('calls.ts'));
  await run(process.execPath, [GENERATOR, file('openapi.json'), '-o', file('schema.d.ts')]);

  const settings = { extends: path.join(ROOT, 'tsconfig.json'), include: ['calls.ts', 'schema.d.ts'] };
  await writeFile(file('tsconfig.json'), JSON.stringify(settings));
  const compiler = path.join(ROOT, 'node_modules/.bin/tsc');
  const compiled = await run(compiler, ['-p', folder]).catch((error) => error);
  expect(compiled.stdout).toBe('');

  const subscription = { endpoint: 'https://push.example/1', keys: createBrowserKeys().keys };
  const args = [service.listing, service.uploads, JSON.stringify({ subscription, slugs: [] })];
  const { stdout } = await run(process.execPath, [file('calls.ts'), ...args]);
  const called = new Set(stdout.trimEnd().split('\n'));
  expect([...called].toSorted()).toEqual(
    operationsOf(api)
      .map(({ name }) => name)
      .toSorted(),
  );
});
