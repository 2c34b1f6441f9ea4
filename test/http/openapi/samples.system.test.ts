import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { describeIn } from '../../../src/http/openapi/describe-api.ts';
import { openNewsService } from '../../support/news.ts';
import { API_FACTS, operationsOf } from '../../support/openapi.ts';
import { runScript } from '../../support/run-script.ts';
import { openTestService, temporaryFolder } from '../../support/service.ts';
import { openReceiver } from '../../support/webhook-receiver.ts';

/** Runs what the page of the API shows, as somebody who pastes it. */

const run = promisify(execFile);

/** The code on the page at this origin; the code is the same in each language. */
async function codeOn(origin: string): Promise<string[]> {
  const page = await (await fetch(`${origin}/docs?lang=en`)).text();
  return [...page.matchAll(/<pre[^>]*>(.*?)<\/pre>/gsu)].map(([, code = '']) =>
    code
      .replaceAll('&#39;', "'")
      .replaceAll('&quot;', '"')
      .replaceAll('&gt;', '>')
      .replaceAll('&lt;', '<')
      .replaceAll('&amp;', '&'),
  );
}

describe('a line with curl on the page of the API works when it is pasted', () => {
  const api = describeIn('en', API_FACTS);
  const operations = operationsOf(api);
  const names = [
    'the task',
    ...api.tags
      .flatMap(({ name }) => operations.filter(({ operation }) => operation.tags.includes(name)))
      .map(({ name }) => name),
  ];
  let lines: string[];
  let folder: string;

  beforeAll(async () => {
    const { listing, ready } = await openTestService(afterAll, { PUSH_CONTACT: 'mailto:ops@example.org' });
    await ready();
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
    const { stdout } = await running;
    if (!/^(?:delete|put) /u.test(name)) expect(stdout).not.toBe('');
    if (/^\{"status":(?:true|false)/u.test(stdout))
      expect(JSON.parse(stdout)).toMatchObject({ status: true });
  });
});

test('the program that uploads a file prints its address', async () => {
  const { listing } = await openTestService(onTestFinished, { REFRESH_CRON: 'off' });
  const [code = ''] = (await codeOn(listing)).filter((code) => code.includes('new FormData()'));
  const output = await runScript(code, [], onTestFinished).output;
  const [, page = '', deletion = ''] = /^(\S+) delete: (\S+)\n$/u.exec(output) ?? [];
  expect(await (await fetch(page)).text()).toContain('halo.txt');
  expect((await fetch(deletion, { method: 'DELETE' })).status).toBe(204);
});

test('the program for Discord announces each new episode, again where Discord has failed', async () => {
  const service = await openNewsService(onTestFinished);
  const discord = await openReceiver(onTestFinished);
  discord.answer = () => (discord.received.length === 0 ? 500 : 204);
  const [written = ''] = (await codeOn(service.listing)).filter((code) => code.includes('discord.com'));
  const code = written
    .replace('https://discord.com/api/webhooks/ID/TOKEN', discord.url)
    .replace('setTimeout(5_000)', 'setTimeout(50)');
  runScript(code, [], onTestFinished);
  let last = 0;
  async function airEpisode() {
    last += 1;
    const anime = service.airEpisode();
    await service.refreshUntil(last);
    return anime;
  }
  // Events before the program is connected are none of its concern.
  await expect.poll(airEpisode).toSatisfy(() => discord.received.length > 1);
  const [failed, repeated] = discord.received;
  expect(failed?.body.content).toMatch(/^\*\*.+\*\* episode \d+\nhttp/u);
  expect(repeated?.body).toEqual(failed?.body);
  const { title, episode } = await airEpisode();
  await expect
    .poll(() => discord.received.at(-1)?.body.content)
    .toSatisfy((content) => content.startsWith(`**${title}** episode ${episode}\n`));
});
