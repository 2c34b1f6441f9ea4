import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { describeIn } from '../../../src/http/openapi/describe-api.ts';
import { codeOn, taskOn } from '../../support/docs-code.ts';
import { MANUAL } from '../../support/manual.ts';
import { API_FACTS, operationsOf } from '../../support/openapi.ts';
import { eventually, openTestService, readJson, startServe, temporaryFolder } from '../../support/service.ts';

/** Runs what the page of the API shows, as somebody who pastes it. */

const run = promisify(execFile);

describe('a line with curl on the page of the API works when it is pasted', () => {
  const api = describeIn('en', API_FACTS);
  const operations = operationsOf(api);
  const names = [
    ...['channel', 'shell', 'json', 'collection', 'tus', 'sharex'].map((task) => `the task ${task}`),
    ...api.tags
      .flatMap(({ name }) => operations.filter(({ operation }) => operation.tags.includes(name)))
      .map(({ name }) => name),
  ];
  let lines: string[];
  let folder: string;

  beforeAll(async () => {
    const { listing, ready } = await openTestService(afterAll, {
      PUSH_CONTACT: 'mailto:ops@example.org',
      CHANNELS: 'discord',
      COVERS: 'on',
    });
    await ready();
    const images = async () => (await readJson(fetch(`${listing}/api/anime/home`))).data.data;
    // The line for a cover takes the first one of the listing.
    await eventually(images, ([{ image }]) => image.includes('/covers/'));
    lines = (await codeOn(listing)).filter((code) => code.includes('curl '));
    expect(lines).toHaveLength(names.length);
    folder = await temporaryFolder(afterAll);
    // Answers from 400 on make curl fail.
    await writeFile(path.join(folder, '.curlrc'), 'fail\n');
  });

  test.each(names.map((name, index) => [name, index] as const))('%s', async (name, index) => {
    const line = lines[index]!;
    const isEndless = name.endsWith('/stream');
    const env = { PATH: process.env.PATH, CURL_HOME: folder };
    const running = run('sh', ['-euc', isEndless ? `exec ${line}` : line], { cwd: folder, env });
    if (isEndless) {
      running.child.stdout!.once('data', () => running.child.kill());
      return expect(running).rejects.toMatchObject({
        signal: 'SIGTERM',
        stdout: expect.stringMatching(/^retry: /u),
      });
    }
    // No channel has the address in it.
    if (name === 'the task channel' || name.endsWith(' /channels/subscription'))
      return expect(running).rejects.toMatchObject({ stderr: expect.stringContaining('error: 400') });
    const { stdout } = await running;
    if (!/^(?:delete|put|the task sharex)|\.zip$/u.test(name)) expect(stdout).not.toBe('');
    if (/^\{"status":(?:true|false)/u.test(stdout))
      expect(JSON.parse(stdout)).toMatchObject({ status: true });
  });
});

test("the service sends to the receivers of the manual's line", async () => {
  const line = /`(WEBHOOK_URLS='[^`]*)`/u.exec(MANUAL)?.[1] ?? '';
  const [, WEBHOOK_URLS = '', command] = /^WEBHOOK_URLS='(.*)' (npm start)$/u.exec(line) ?? [];
  expect(command).toBe('npm start');
  const environment = { DATA_DIR: await temporaryFolder(onTestFinished), REFRESH_CRON: 'off', WEBHOOK_URLS };
  const { address } = await startServe(environment, onTestFinished);
  const receivers = async () => (await readJson(fetch(`${address}/readyz`))).webhooks;
  await expect.poll(receivers).toMatchObject([{ receiver: 'https://discord.com', state: 'ok' }]);
});

test('the file for ShareX uploads, and has the address of the file and of its deletion', async () => {
  const { listing } = await openTestService(onTestFinished, { REFRESH_CRON: 'off' });
  const cwd = await temporaryFolder(onTestFinished);
  await run('sh', ['-euc', (await taskOn(listing, 'sharex')).source], { cwd });
  const shareX = JSON.parse(await readFile(path.join(cwd, 'tayang.sxcu'), 'utf8'));
  const body = new FormData();
  body.append(shareX.FileFormName, new Blob(['halo']), 'halo.txt');
  const answer = await fetch(shareX.RequestURL, { method: shareX.RequestMethod, body });
  expect(shareX).toMatchObject({ URL: '{json:result.url_file}', DeletionURL: '{header:X-Delete-Url}' });
  expect(await (await fetch((await readJson(answer.clone())).result.url_file)).text()).toBe('halo');
  const deleted = await fetch(answer.headers.get('x-delete-url')!, { method: 'DELETE' });
  expect(deleted.status).toBe(204);
});
