import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/app/config.ts';
import { capturePage } from '../../src/commands/capture.ts';
import { parseOngoing } from '../../src/source/sites/otakudesu/ongoing-page.ts';
import { runCommand, temporaryFolder } from '../support/service.ts';
import { always, openTestSource } from '../support/source.ts';

const defer = onTestFinished;

async function open() {
  const source = await openTestSource(defer);
  const folder = await temporaryFolder(defer);
  const environment = { DATA_DIR: folder, SOURCE_URLS: source.origin, SOURCE_TIMEOUT: '15s' };
  const to = ['--to', path.join(folder, 'saved')];
  /** The command in a process of its own. */
  const captureInProcess = async (...args: string[]) => {
    const run = runCommand(['capture', ...args, ...to], environment, defer);
    return { code: await run.ended, output: run.output() };
  };
  /** What the command does, in this process. */
  const capture = async (...args: string[]) => {
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const config = readConfig({ SOURCE_DELAY: '0', ...environment }, '0.0.0');
    const code = await capturePage(config, [...args, ...to], { print, printError: print });
    return { code, output: lines.join('\n') };
  };
  const saved = async () => (await readdir(path.join(folder, 'saved')).catch(() => [])).sort();
  const read = (name: string) => readFile(path.join(folder, 'saved', name), 'utf8');
  return { source, capture, captureInProcess, saved, read };
}

describe('capture', () => {
  test('saves the schedule unchanged, and its records beside it', async () => {
    const { source, captureInProcess, saved, read } = await open();
    const { code, output } = await captureInProcess('schedule', 'a-week');
    expect(code).toBe(0);
    expect(output).toContain('Recognised: 8 groups, 54 cards, 0 of them unreadable');
    expect(output).toContain('rewrite it with data of your own before you commit it');
    expect(await saved()).toEqual(['schedule--a-week.html', 'schedule--a-week.json']);
    expect(await read('schedule--a-week.html')).toBe(
      await (await fetch(`${source.origin}/jadwal-rilis/`)).text(),
    );
    expect(JSON.parse(await read('schedule--a-week.json')).groups).toHaveLength(8);
  });

  test('names a page of the list by number and date', async () => {
    const { source, capture, saved, read } = await open();
    const { code, output } = await capture('ongoing/3');
    expect(code).toBe(0);
    expect(output).toContain('page 3 of 6, 25 cards');
    const [html = '', json = ''] = await saved();
    expect(html).toMatch(/^ongoing--page-3-\d{4}-\d\d-\d\d\.html$/u);
    expect(parseOngoing(await read(html), source.origin)).toEqual(JSON.parse(await read(json)));
  });

  test('takes an address, and recognizes the page by its path', async () => {
    const { source, capture, saved } = await open();
    expect((await capture(`${source.origin}/ongoing-anime/`, 'first')).code).toBe(0);
    expect(await saved()).toEqual(['ongoing--first.html', 'ongoing--first.json']);
  });

  test('keeps an existing file, without a request', async () => {
    const { source, capture, read } = await open();
    await capture('ongoing', 'twice');
    const before = await read('ongoing--twice.html');
    source.catalogue.airNextEpisode(new Date());
    await expect(capture('ongoing', 'twice')).rejects.toThrow('exists already');
    expect(await read('ongoing--twice.html')).toBe(before);
    expect(source.requests).toHaveLength(1);
  });

  test('saves a page of another site without records', async () => {
    const { source, capture, saved } = await open();
    source.fault = always(200, '<!doctype html><html><title>For sale</title></html>');
    const { code, output } = await capture('ongoing', 'parked');
    expect(code).toBe(1);
    expect(output).toContain("Refused: the page is not the site's");
    expect(await saved()).toEqual(['ongoing--parked.html']);
  });

  test('saves nothing when the source does not answer', async () => {
    const { source, capture, saved } = await open();
    await source.close();
    const { code, output } = await capture('schedule');
    expect(code).toBe(1);
    expect(output).toContain('no answer');
    expect(await saved()).toEqual([]);
  });

  test.for([['https://otakudesu.example/anime/x/'], ['ongoing', '../../x']])(
    'names the pages that it can save when asked for %j',
    async (args) => {
      const { captureInProcess, source } = await open();
      const { code, output } = await captureInProcess(...args);
      expect(code).toBe(1);
      expect(output).toContain('npm run capture -- schedule|ongoing|ongoing/3|URL');
      expect(source.requests).toEqual([]);
    },
  );
});
