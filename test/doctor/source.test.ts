import { describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/app/config.ts';
import { openSnapshotStore } from '../../src/crawler/snapshot-store.ts';
import { openMemoryStore } from '../../src/crawler/stores/memory.ts';
import type { Finding } from '../../src/doctor/check.ts';
import { runCheck } from '../../src/doctor/check.ts';
import { listChecks } from '../../src/doctor/checks.ts';
import { createPageFetcher } from '../../src/source/fetch-page.ts';
import { otakudesu } from '../../src/source/sites/otakudesu/site.ts';
import { always, openTestSource, type TestSource } from '../support/source.ts';
import { rewritingList } from './support/rewriting-list.ts';

const defer = onTestFinished;
const SELECTORS = 'src/source/sites/otakudesu/selectors.ts';

interface Case {
  mirrors: TestSource[];
  /** The origin that served the last good crawl. */
  remembered?: string;
  timeout?: string;
}

/** Runs the checks of the source against real servers; returns the findings in order. */
async function examineSource({ mirrors, remembered, timeout = '15s' }: Case): Promise<Finding[]> {
  const urls = mirrors.map((mirror) => mirror.origin).join(',');
  const environment = { SOURCE_URLS: urls, SOURCE_DELAY: '0', SOURCE_TIMEOUT: timeout };
  const settings = readConfig(environment, '0.0.0');
  const fetcher = createPageFetcher({ ...settings.source, origins: settings.source.urls, now: Date.now });
  defer(() => fetcher.close());
  const store = await openSnapshotStore(await openMemoryStore(), () => 0.5);
  if (remembered)
    await store.writeStatus({
      ...(await store.readStatus()),
      mirror: remembered,
      askedMirror: mirrors[0]!.origin,
    });
  const checks = listChecks({
    settings,
    fetcher,
    site: otakudesu,
    now: Date.now,
    elapsedMs: () => performance.now(),
    openStore: async () => store,
    webhookClient: { fetch: () => Promise.reject(new Error('not looked at')) },
    openStorage: () => Promise.reject(new Error('not looked at')),
    randomBytes: (size) => new Uint8Array(size),
  });
  const found: Finding[] = [];
  for (const check of checks.filter(({ name }) => /^(?:Mirrors|Pages|Selectors)$/u.test(name))) {
    for await (const finding of runCheck(check.findings, 20_000)) found.push(finding);
  }
  return found;
}

const only = (level: Finding['level'], findings: Finding[]) =>
  findings.filter((finding) => finding.level === level).map(({ text }) => text);

/** Opens a source that redirects to another one. */
async function openMoved(to: TestSource): Promise<TestSource> {
  const moved = await openTestSource(defer);
  moved.fault = (request, response) =>
    !!response.writeHead(301, { location: `${to.origin}${request.url}` }).end();
  return moved;
}

describe('mirrors', () => {
  test('the finding for a mirror with 429 names SOURCE_DELAY', async () => {
    const source = await openTestSource(defer);
    source.fault = always(429);
    const problems = only('problem', await examineSource({ mirrors: [source] }));
    expect(problems).toEqual([expect.stringMatching(/: blocked after .* 429; raise SOURCE_DELAY/u)]);
  });

  test('the finding for a silent mirror names SOURCE_TIMEOUT', async () => {
    const source = await openTestSource(defer);
    source.fault = () => true;
    const problems = only('problem', await examineSource({ mirrors: [source], timeout: '200ms' }));
    expect(problems).toEqual([
      expect.stringMatching(/no complete answer within 200 ms; raise SOURCE_TIMEOUT/u),
    ]);
  });

  test('a mirror that is down is a warning when another one serves', async () => {
    const [gone, source] = [await openTestSource(defer), await openTestSource(defer)];
    await gone.close();
    const found = await examineSource({ mirrors: [gone, source] });
    expect(only('problem', found)).toEqual([]);
    expect(only('warning', found)).toEqual([expect.stringContaining(`${gone.origin}: down after`)]);
    expect(only('ok', found)).toContain('ongoing title: 32 of 32 cards');
  });

  test('the mirror that served last is checked first, and the finding says to configure it', async () => {
    const [configured, known] = [await openTestSource(defer), await openTestSource(defer)];
    const [first, second] = await examineSource({ mirrors: [configured], remembered: known.origin });
    expect(first?.text).toMatch(/\(which served last\).*add http:\S+ to SOURCE_URLS/u);
    expect(second?.text).toContain(`${configured.origin} answered`);
  });

  test('a redirect to a host with unknown anime is a problem', async () => {
    const elsewhere = await openTestSource(defer);
    const found = await examineSource({ mirrors: [await openMoved(elsewhere)] });
    expect(only('warning', found)).toEqual([expect.stringContaining(`redirects to ${elsewhere.origin}`)]);
    expect(only('problem', found)).toEqual([expect.stringContaining('add it to SOURCE_URLS')]);
  });

  test('a redirect to another mirror is a warning', async () => {
    const source = await openTestSource(defer);
    const moved = await openMoved(source);
    const found = await examineSource({ mirrors: [moved, source] });
    expect(only('problem', found)).toEqual([]);
    expect(only('warning', found)).toEqual([expect.stringContaining('remove it from SOURCE_URLS')]);
  });
});

describe('the finding for a changed page names the file to fix', () => {
  test.each([
    [
      'a renamed class',
      'jdlflm',
      'judul',
      'ongoing title: 0 of 32 cards; .jdlflm matches nothing',
      SELECTORS,
    ],
    [
      'an unknown word',
      'Episode',
      'Bagian',
      'ongoing episode: 0 of 32 cards; the',
      'src/source/vocabulary.ts',
    ],
    ['a renamed list', 'venz', 'daftar', "ongoing page 1: the page is not the site's", SELECTORS],
    ['an empty list', 'li>', 'p>', 'ongoing page 1: page 1 of the ongoing list has no cards', SELECTORS],
  ])('%s', async (_what, from, to, said, file) => {
    const source = await openTestSource(defer);
    rewritingList(from, to)(source);
    const [first] = only('problem', await examineSource({ mirrors: [source] }));
    expect(first).toContain(said);
    expect(first).toContain(`fix ${file}`);
  });

  test('a schedule with other markup, on a host that still has the list', async () => {
    const source = await openTestSource(defer);
    source.fault = (request, response) =>
      request.url === '/jadwal-rilis/' &&
      always(200, '<html><title>Jadwal</title></html>')(request, response);
    const found = await examineSource({ mirrors: [source] });
    expect(only('problem', found)).toEqual([
      expect.stringMatching(/^schedule: the page is not the site's.*fix src\/source\/.*\/selectors\.ts$/u),
    ]);
    expect(only('ok', found)).toContain('ongoing page 1: recognised, 25 cards, page 1 of 6');
  });

  test('one or two unreadable cards are a warning', async () => {
    const source = await openTestSource(defer);
    const { title = '' } = source.catalogue.anime[3] ?? {};
    rewritingList(`<h2 class="jdlflm">${title}</h2>`, '')(source);
    const found = await examineSource({ mirrors: [source] });
    expect(only('problem', found)).toEqual([]);
    expect(only('warning', found)).toEqual([
      expect.stringContaining('title: 31 of 32 cards; others lack .jdlflm'),
    ]);
  });
});
