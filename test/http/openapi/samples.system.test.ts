import { execFile, spawn } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { describeIn } from '../../../src/http/openapi/describe-api.ts';
import { endProcess } from '../../support/end-process.ts';
import { openNewsService } from '../../support/news.ts';
import { API_FACTS, operationsOf } from '../../support/openapi.ts';
import { openTestService, readJson, startServe, temporaryFolder } from '../../support/service.ts';
import { openReceiver } from '../../support/webhook-receiver.ts';

/** Runs what the page of the API shows, as somebody who pastes it. */

const run = promisify(execFile);

/** The code on the page at this origin, and that of one task; the code is the same in each language. */
async function codeOn(origin: string, before = ''): Promise<string[]> {
  const page = await (await fetch(`${origin}/docs?lang=en`)).text();
  return [...page.slice(page.indexOf(before)).matchAll(/<pre[^>]*>(.*?)<\/pre>/gsu)].map(([, code = '']) =>
    code
      .replaceAll('&#39;', "'")
      .replaceAll('&quot;', '"')
      .replaceAll('&gt;', '>')
      .replaceAll('&lt;', '<')
      .replaceAll('&amp;', '&'),
  );
}
const codeOf = async (origin: string, task: string) => (await codeOn(origin, `id="task-${task}"`))[0]!.trim();

describe('a line with curl on the page of the API works when it is pasted', () => {
  const api = describeIn('en', API_FACTS);
  const operations = operationsOf(api);
  const names = [
    ...['the task shell', 'the task tus', 'the task sharex'],
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
    if (!/^(?:delete|put|the task sharex)/u.test(name)) expect(stdout).not.toBe('');
    if (/^\{"status":(?:true|false)/u.test(stdout))
      expect(JSON.parse(stdout)).toMatchObject({ status: true });
  });
});

test("the service sends to the receivers of the operator's line", async () => {
  const { listing } = await openTestService(onTestFinished, { REFRESH_CRON: 'off' });
  const line = await codeOf(listing, 'hook');
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
  await run('sh', ['-euc', await codeOf(listing, 'sharex')], { cwd });
  const shareX = JSON.parse(await readFile(path.join(cwd, 'tayang.sxcu'), 'utf8'));
  const body = new FormData();
  body.append(shareX.FileFormName, new Blob(['halo']), 'halo.txt');
  const answer = await fetch(shareX.RequestURL, { method: shareX.RequestMethod, body });
  expect(shareX).toMatchObject({ URL: '{json:result.url_file}', DeletionURL: '{header:X-Delete-Url}' });
  expect(await (await fetch((await readJson(answer.clone())).result.url_file)).text()).toBe('halo');
  const deleted = await fetch(answer.headers.get('x-delete-url')!, { method: 'DELETE' });
  expect(deleted.status).toBe(204);
});

/** For each program: how it is started, what stands for its service of messages, and where a message has its text. */
const PROGRAMS: [task: string, command: string, place: string, read: (body: never) => string][] = [
  ['discord', process.execPath, 'new REST()', ({ content }: { content: string }) => content],
  ['telegram', process.execPath, 'https://api.telegram.org/botTOKEN', ({ text }: { text: string }) => text],
  [
    'python',
    'python3',
    'https://discord.com/api/webhooks/ID/TOKEN',
    ({ content }: { content: string }) => content,
  ],
];

test.each(PROGRAMS)(
  'the program for %s announces what is new after its first start, each once, also where that failed or it was stopped',
  async (task, command, place, read) => {
    const service = await openNewsService(onTestFinished);
    const receiver = await openReceiver(onTestFinished);
    receiver.answer = ({ path }, response) => {
      if (receiver.received.length === 0) return 400;
      if (!path.endsWith('/sendMessage')) return 204;
      response.end('{"ok":true}');
      return 0;
    };
    const announced = () =>
      receiver.received.filter(({ status }) => status < 400).map(({ body }) => read(body as never));
    const cwd = await temporaryFolder(onTestFinished);
    await symlink(path.resolve('node_modules'), path.join(cwd, 'node_modules'));
    const code = (await codeOf(service.listing, task))
      .replace(place, place === 'new REST()' ? `new REST({ api: '${receiver.url}' })` : receiver.url)
      .replace(/60_000|sleep\(60/u, (wait) => (wait === '60_000' ? '50' : 'sleep(.05'));
    await writeFile(path.join(cwd, 'bot.mjs'), code);
    const start = () => spawn(command, ['bot.mjs'], { cwd, stdio: ['ignore', 'inherit', 'ignore'] });
    let last = 0;
    async function air(): Promise<string> {
      const { title, episode } = service.airEpisode();
      last += 1;
      await service.refreshUntil(last);
      return `${title} episode ${episode}`;
    }

    await air();
    const bot = start();
    onTestFinished(() => endProcess(bot));
    const position = () => readFile(path.join(cwd, 'last-event.json'), 'utf8').catch(() => '');
    await expect.poll(position).toContain('"epoch"');
    const first = await air();
    await expect.poll(announced).toHaveLength(1);
    await expect.poll(position).toMatch(/"since": ?2/u);
    await endProcess(bot);
    // A corrected slug is no episode, and a premiere is one, although it is two events.
    const { anime } = service.source.catalogue;
    anime[5]!.slug = 'judul-yang-benar-sub-indo';
    anime.push({ ...anime[0]!, slug: 'anime-baru-sub-indo', title: 'Anime baru', episode: 1 });
    last += 3;
    const second = await air();
    const again = start();
    onTestFinished(() => endProcess(again));
    await expect.poll(announced).toHaveLength(3);
    await expect.poll(position).toMatch(/"since": ?6/u);
    for (const [index, text] of [first, second, 'Anime baru episode 1'].entries())
      expect(announced()[index]!.replaceAll('*', '')).toContain(text);
  },
);

test('the program that follows the events prints each episode', async () => {
  const service = await openNewsService(onTestFinished);
  const cwd = await temporaryFolder(onTestFinished);
  await writeFile(path.join(cwd, 'last-event.json'), '{"since":0}');
  const code = (await codeOf(service.listing, 'events')).replace('60_000', '50');
  await writeFile(path.join(cwd, 'events.mjs'), code);
  const program = spawn(process.execPath, ['events.mjs'], { cwd });
  onTestFinished(() => endProcess(program));
  const { title, episode } = service.airEpisode();
  await service.refreshUntil(1);
  for await (const line of createInterface(program.stdout)) {
    expect(line).toContain(`${title} episode ${episode}: http`);
    break;
  }
});
