import { spawn } from 'node:child_process';
import { copyFile, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import vm from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { describeIn } from '../../../src/http/openapi/describe-api.ts';
import { openDiscord } from '../../support/discord-gateway.ts';
import { taskOn, tasksOf } from '../../support/docs-code.ts';
import { endProcess } from '../../support/end-process.ts';
import { hasProgram, testWith } from '../../support/needs.ts';
import { openNewsService } from '../../support/news.ts';
import { API_FACTS } from '../../support/openapi.ts';
import { readJson, temporaryFolder } from '../../support/service.ts';
import { openReceiver, type TestReceiver } from '../../support/webhook-receiver.ts';

/**
 * Runs the programs of the page of the API as somebody who copies them. Where they send to a service of messages, a stand-in
 * takes its place: its API, or the package with which the program reaches it.
 */

const STAND_INS = path.resolve('test/support/stand-ins');
const NODE = process.execPath;

interface Program {
  task: string;
  command: string[];
  /** What is changed in the code, so that it sends to the receiver. */
  edit: (code: string, receiver: TestReceiver) => string;
  /** How a message says what is announced, and where its cover is. */
  // biome-ignore lint/suspicious/noExplicitAny: JSON of another service
  read: (body: any) => { text: string; cover: string };
}

const embedOf: Program['read'] = ({ embeds: [{ title, thumbnail }] }) => ({
  text: title,
  cover: thumbnail.url,
});
const WEBHOOK = 'https://discord.com/api/webhooks/ID/TOKEN';

const PROGRAMS: Program[] = [
  {
    task: 'discord',
    command: [NODE, 'bot.mjs'],
    edit: (code, { url }) => code.replace('new REST()', `new REST({ api: '${url}' })`),
    read: embedOf,
  },
  { task: 'discordpy', command: ['python3', 'bot.py'], edit: (code) => code, read: embedOf },
  {
    task: 'telegram',
    command: [NODE, 'bot.mjs'],
    edit: (code, { url }) => code.replace('https://api.telegram.org/botTOKEN', url),
    read: ({ caption, photo }) => ({ text: caption, cover: photo }),
  },
  {
    task: 'whatsapp',
    command: [NODE, 'bot.mjs'],
    edit: (code) => code.replace('setTimeout(3_000)', 'setTimeout(10)'),
    read: ({ caption, image }) => ({ text: caption, cover: image.url }),
  },
  {
    task: 'php',
    command: ['php', 'announce.php'],
    edit: (code, { url }) => code.replace(WEBHOOK, url).replace('sleep(60)', 'usleep(50000)'),
    read: embedOf,
  },
  {
    task: 'python',
    command: ['python3', 'announce.py'],
    edit: (code, { url }) => code.replace(WEBHOOK, url),
    read: embedOf,
  },
];

test('every program of the page is run by a test', () => {
  const elsewhere = ['channel', 'today', 'shell', 'json', 'collection', 'tus', 'sharex', 'subscribe'];
  const here = ['jadwal', ...PROGRAMS.map(({ task }) => task), 'sheet', 'events'];
  const tasks = [...tasksOf(describeIn('en', API_FACTS)).keys()];
  expect(tasks.toSorted()).toEqual([...here, ...elsewhere].toSorted());
});

/** A folder with what the programs import. */
async function openProgramFolder(): Promise<string> {
  const cwd = await temporaryFolder(onTestFinished);
  const modules = path.join(cwd, 'node_modules');
  await mkdir(path.join(modules, '@whiskeysockets'), { recursive: true });
  await symlink(path.resolve('node_modules/discord.js'), path.join(modules, 'discord.js'));
  for (const [name, file] of [
    ['@whiskeysockets/baileys', 'baileys.js'],
    ['qrcode-terminal', 'qrcode-terminal.js'],
  ] as const) {
    const folder = path.join(modules, name);
    await mkdir(folder);
    await writeFile(path.join(folder, 'package.json'), '{"type":"module","exports":"./index.js"}');
    await copyFile(path.join(STAND_INS, file), path.join(folder, 'index.js'));
  }
  await cp(path.join(STAND_INS, 'discord'), path.join(cwd, 'discord'), { recursive: true });
  return cwd;
}

for (const { task, command, edit, read } of PROGRAMS) {
  const [program = '', file = ''] = command;
  const testProgram = testWith(hasProgram(program), program);
  testProgram(
    `the program for ${task} announces each new episode once, with cover, also after a failure and a restart`,
    async () => {
      const service = await openNewsService(onTestFinished);
      const receiver = await openReceiver(onTestFinished);
      receiver.answer = ({ path: place }, response) => {
        const isTelegram = place.includes('/send');
        // Telegram is asked twice: for a photo, then for a text alone.
        const isRefused = receiver.received.length < (isTelegram ? 2 : 1);
        response.statusCode = isRefused ? 400 : 200;
        response.end(JSON.stringify({ ok: !isRefused, description: 'refused' }));
        return isRefused ? -400 : 0;
      };
      const announced = () =>
        receiver.received.filter(({ status }) => status >= 0).map(({ body }) => read(body));
      const cwd = await openProgramFolder();
      const { source, run } = await taskOn(service.listing, task);
      expect(run.split('\n').at(-1)).toBe(`${program === NODE ? 'node' : program} ${file}`);
      const code = edit(source, receiver)
        .replace('60_000', '50')
        .replace(/(?<!u)sleep\(60\)/u, 'sleep(.05)');
      await writeFile(path.join(cwd, file), code);
      const env = { ...process.env, STAND_IN_URL: receiver.url };
      const start = () => spawn(program, [file], { cwd, env, stdio: ['ignore', 'ignore', 'ignore'] });
      let last = 0;
      async function air(): Promise<string> {
        const { title, episode } = service.airEpisode();
        last += 1;
        await service.refreshUntil(last);
        return `${title} – episode ${episode}`;
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
      for (const [index, text] of [first, second, 'Anime baru – episode 1'].entries()) {
        expect(announced()[index]!.text).toContain(text);
        expect(announced()[index]!.cover).toMatch(/^http/u);
      }
    },
  );
}

test('the bot for /jadwal shows what comes out today, as the API has it', async () => {
  const service = await openNewsService(onTestFinished);
  const discord = await openDiscord(onTestFinished);
  const cwd = await openProgramFolder();
  const { source } = await taskOn(service.listing, 'jadwal');
  const code = source.replace('intents: []', `intents: [], rest: { api: '${discord.api}' }`);
  await writeFile(path.join(cwd, 'jadwal.mjs'), code);
  const bot = spawn(NODE, ['jadwal.mjs'], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  onTestFinished(() => endProcess(bot));
  const requestsTo = (end: string) => discord.requests.filter(({ path: place }) => place.includes(end));
  await expect
    .poll(() => requestsTo('/commands'))
    .toMatchObject([{ method: 'POST', body: { name: 'jadwal' } }]);
  discord.useCommand('jadwal');
  await expect.poll(() => requestsTo('/messages/@original')).toHaveLength(1);
  const [{ body } = expect.fail()] = requestsTo('/messages/@original');
  const [embed] = body.embeds;
  const { data } = await readJson(fetch(`${service.address}/api/anime/releases?day=today`));
  const shown: string[] = embed.description.split('\n');
  expect(shown.length).toBeGreaterThan(3);
  for (const [index, line] of shown.entries()) {
    const { slug, title, episode } = data[index];
    expect(line.replaceAll('\\', '')).toContain(`[${title} – episode ${episode}](`);
    expect(line).toContain(`/anime/${slug})`);
  }
  expect(embed.thumbnail.url).toMatch(/^http/u);
});

test('the script for a sheet fills it, and has itself run again every hour', async () => {
  const service = await openNewsService(onTestFinished);
  const { source } = await taskOn(service.listing, 'sheet');
  const answers = new Map<string, string>();
  const { listing } = service;
  const text = await (await fetch(`${listing}/api/anime/releases`)).text();
  answers.set('/api/anime/releases', text);
  const values: unknown[][] = [];
  const triggers: string[] = [];
  const sheet = {
    clearContents: () => values.splice(0),
    getRange: (...size: number[]) => ({
      setValues(rows: unknown[][]) {
        expect(size).toEqual([1, 1, rows.length, rows[0]!.length]);
        values.push(...rows);
      },
    }),
  };
  const everyHours = (hours: number) => ({ create: () => triggers.push(`every ${hours} h`) });
  const context = vm.createContext({
    UrlFetchApp: {
      fetch: (url: string) => ({ getContentText: () => answers.get(new URL(url).pathname) }),
    },
    ScriptApp: {
      getProjectTriggers: () => [],
      newTrigger: () => ({ timeBased: () => ({ everyHours }) }),
    },
    SpreadsheetApp: {
      getActive: () => ({ getSheetByName: () => null, insertSheet: () => sheet }),
    },
  });
  vm.runInContext(`${source}\ninstall();`, context);
  const { data } = JSON.parse(text);
  expect(triggers).toEqual(['every 1 h']);
  expect(values).toHaveLength(data.length + 1);
  expect(values[1]).toMatchObject({ 0: data[0].day, 2: data[0].title, 4: data[0].state });
  expect(String(values[1]![5])).toMatch(new RegExp(`/anime/${data[0].slug}$`, 'u'));
});

test('the program that follows the events prints each episode', async () => {
  const service = await openNewsService(onTestFinished);
  const cwd = await temporaryFolder(onTestFinished);
  await writeFile(path.join(cwd, 'last-event.json'), '{"since":0}');
  const code = (await taskOn(service.listing, 'events')).source.replace('60_000', '50');
  await writeFile(path.join(cwd, 'events.mjs'), code);
  const program = spawn(NODE, ['events.mjs'], { cwd });
  onTestFinished(() => endProcess(program));
  const { title, episode } = service.airEpisode();
  await service.refreshUntil(1);
  for await (const line of createInterface(program.stdout)) {
    expect(line).toContain(`${title} episode ${episode}: http`);
    break;
  }
});
