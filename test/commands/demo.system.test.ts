import { expect, onTestFinished, test } from 'vitest';
import { readJson, runCommand, temporaryFolder } from '../support/service.ts';

test('demo crawls a source of its own and says what to try next', async () => {
  const demo = runCommand(['demo'], { DATA_DIR: await temporaryFolder(onTestFinished) }, onTestFinished);
  const [, address] = await demo.printed(/listing listening on (\S+)/u);
  await demo.printed(/Try next:/u);
  const pages =
    demo
      .output()
      .match(/Open in a browser:\n {2}(\S+) .*\n {2}(\S+) .*\n/u)
      ?.slice(1) ?? [];
  const titles = pages.map(async (page) => /<title>[^<]+/u.exec(await (await fetch(page)).text())?.[0]);
  expect(pages[0]).toBe(address);
  expect(await Promise.all(titles)).toEqual([expect.any(String), expect.any(String)]);
  expect(demo.output()).toMatch(/Today is (Senin|Selasa|Rabu|Kamis|Jumat|Sabtu|Minggu)\. On air:\n {2}\S/u);
  expect((await readJson(fetch(`${address}/api/anime/home`))).data.maxPage).toBe(6);
  demo.kill('SIGINT');
  expect(await demo.ended).toBe(0);
});
