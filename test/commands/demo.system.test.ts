import { expect, onTestFinished, test } from 'vitest';
import { readJson, runCommand, temporaryFolder } from '../support/service.ts';

test('demo crawls a source of its own, and ends with the addresses to open', async () => {
  const demo = runCommand(['demo'], { DATA_DIR: await temporaryFolder(onTestFinished) }, onTestFinished);
  await demo.printed(/Ctrl\+C stops the demo\.\n/u);
  const pages =
    demo
      .output()
      .match(/Open in a browser:\n {2}(\S+) .*\n {2}(\S+) .*\n/u)
      ?.slice(1) ?? [];
  const titles = pages.map(async (page) => /<title>[^<]+/u.exec(await (await fetch(page)).text())?.[0]);
  expect(await Promise.all(titles)).toEqual([expect.any(String), expect.any(String)]);
  expect(demo.output()).toMatch(/On air today \((?:Senin|Selasa|Rabu|Kamis|Jumat|Sabtu|Minggu)\):\n {2}\S/u);
  expect((await readJson(fetch(`${pages[0]}/api/anime/home`))).data.maxPage).toBe(6);
  demo.kill('SIGINT');
  expect(await demo.ended).toBe(0);
});
