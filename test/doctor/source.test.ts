import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/app/open-store.ts';
import { renderSampleAnimePage } from '../../src/demo/anime-page.ts';
import { checkSource } from '../../src/doctor/source.ts';
import { refreshHere } from '../support/refresh-here.ts';
import { temporaryFolder } from '../support/service.ts';
import { always, openTestSource, rewriting, type TestSource } from '../support/source.ts';
import { configOf, findings } from './support/findings.ts';
import { rewritingList } from './support/rewriting-list.ts';

const defer = onTestFinished;
const PARKED = '<!doctype html><html><title>This domain is for sale</title></html>';
const CHALLENGE = '<!doctype html><html><title>Just a moment...</title></html>';
const SELECTORS = 'src/source/sites/otakudesu/selectors.ts';

interface Case {
  mirrors: TestSource[];
  /** The mirror that served the last good crawl. */
  known?: TestSource;
  timeout?: string;
  covers?: 'on' | 'off';
}

/** Runs the check of the source against real servers. Returns its findings. */
async function examineSource({ mirrors, known, timeout = '15s', covers = 'off' }: Case) {
  const environment = {
    SOURCE_DELAY: '0',
    SOURCE_TIMEOUT: timeout,
    COVERS: covers,
    DATA_DIR: await temporaryFolder(defer),
  };
  if (known) await refreshHere({ ...environment, SOURCE_URLS: known.origin });
  const SOURCE_URLS = mirrors.map(({ origin }) => origin).join(',');
  const config = configOf({ ...environment, SOURCE_URLS });
  const store = await openStore(config);
  defer(() => store.close());
  const stored = await store.readStatus();
  for (const mirror of mirrors) mirror.requests.length = 0;
  const found = await findings(checkSource, config, 20_000);
  expect(await store.readStatus(), 'the store is not written').toEqual(stored);
  const only = (level: string) => found.filter((line) => line.startsWith(`${level}: `));
  return { found, problems: only('problem'), warnings: only('warning') };
}

/** Opens a source that redirects to another one. */
async function openMoved(to: TestSource): Promise<TestSource> {
  const moved = await openTestSource(defer);
  moved.fault = (request, response) =>
    !!response.writeHead(301, { location: `${to.origin}${request.url}` }).end();
  return moved;
}

test('a page of an anime that cannot be read, or lacks a fact, is a warning', async () => {
  const source = await openTestSource(defer);
  source.fault = (request, response) =>
    request.url?.startsWith('/anime/') ? !!response.writeHead(404).end() : false;
  expect((await examineSource({ mirrors: [source] })).warnings).toEqual([
    expect.stringMatching(/^warning: the page of \S+: .*404.*; the listing works without it$/u),
  ]);
  const other = await openTestSource(defer);
  const show = (url: string) => {
    const anime = other.catalogue.anime.find(({ slug }) => url === `/anime/${slug}/`);
    return anime && renderSampleAnimePage(other.origin, anime, Date.now());
  };
  other.fault = rewriting(show, (html) => html.replace('<b>Studio</b>', '<b>Rumah</b>'));
  expect((await examineSource({ mirrors: [other] })).warnings).toEqual([
    expect.stringMatching(/^warning: read the page of \S+, \d+ episodes, without studios$/u),
  ]);
});

test.each<[string, (source: TestSource) => unknown, RegExp]>([
  ['answers 429', (source) => (source.fault = always(429)), /429; raise SOURCE_DELAY/u],
  ['refuses', (source) => (source.fault = always(403)), /403; set SOURCE_PROXY/u],
  [
    'answers with a challenge',
    (source) => (source.fault = always(200, CHALLENGE)),
    /for browsers.*SOURCE_PROXY/u,
  ],
  [
    'is parked',
    (source) => (source.fault = always(200, PARKED)),
    /"This domain is for sale".*set SOURCE_URLS/u,
  ],
  ['is silent', (source) => (source.fault = () => true), /within 200 ms.*raise SOURCE_TIMEOUT/u],
  ['answers 500', (source) => (source.fault = always(500)), /500.*; try again later, or set SOURCE_URLS/u],
  [
    'has renamed a class',
    rewritingList('jdlflm', 'judul'),
    /title is missing.*\.jdlflm is probably renamed/u,
  ],
  ['writes an unknown word', rewritingList('Episode', 'Bagian'), /episode is unreadable.*vocabulary\.json/u],
  ['has renamed the list', rewritingList('venz', 'daftar'), /the page is not the site's/u],
  ['has an empty list', rewritingList('li>', 'p>'), /page 1 of the ongoing list has no cards/u],
])('a source that %s is a problem, with what to change', async (_what, breakIt, expected) => {
  const source = await openTestSource(defer);
  breakIt(source);
  const { problems } = await examineSource({ mirrors: [source], timeout: '200ms' });
  expect(problems).toEqual([expect.stringMatching(expected)]);
  expect(problems[0]).toMatch(/SOURCE_[A-Z]+|otakudesu\/selectors\.ts/u);
});

test('a mirror that is down is a warning when another one serves', async () => {
  const [gone, source] = [await openTestSource(defer), await openTestSource(defer)];
  await gone.close();
  for (const mirrors of [
    [gone, source],
    [source, gone],
  ]) {
    const { found, problems, warnings } = await examineSource({ mirrors });
    expect(problems).toEqual([]);
    expect(warnings.at(-1)).toContain(`warning: ${new URL(gone.origin).host}: `);
    expect(found).toContain(`ok: ${source.origin} serves the site`);
  }
});

test('a source at a closed port is a problem that a longer timeout would not solve', async () => {
  const closed = await openTestSource(defer);
  await closed.close();
  // fetch refuses the port of another protocol without a request.
  const refused = { ...closed, origin: 'http://127.0.0.1:9' };
  for (const [source, expected] of [
    [closed, /connection refused \(ECONNREFUSED\); check the network and the firewall/u],
    [refused, /bad port.*; try again later, or set SOURCE_URLS/u],
  ] as const) {
    const { problems } = await examineSource({ mirrors: [source] });
    expect(problems).toEqual([expect.stringMatching(expected)]);
    expect(problems[0]).not.toContain('SOURCE_TIMEOUT');
  }
});

test('of a mirror that the crawl does not reach, the schedule is read', async () => {
  const [first, second] = [await openTestSource(defer), await openTestSource(defer)];
  const { found } = await examineSource({ mirrors: [first, second] });
  expect(found).toContain(`ok: ${second.origin} serves the schedule`);
  expect(second.requests).toEqual(['/jadwal-rilis/']);
});

test('an origin that serves and is not configured is a warning once its anime are known, else a problem', async () => {
  const elsewhere = await openTestSource(defer);
  const mirrors = [await openMoved(elsewhere)];
  const { warnings } = await examineSource({ mirrors, known: elsewhere });
  expect(warnings).toEqual([
    expect.stringContaining(`${elsewhere.origin} serves the site but is not in SOURCE_URLS`),
  ]);
  const { problems } = await examineSource({ mirrors });
  expect(problems).toEqual([expect.stringMatching(/redirects to .* add it to SOURCE_URLS/u)]);
});

test('a redirect to another mirror is a warning', async () => {
  const source = await openTestSource(defer);
  const moved = await openMoved(source);
  const { problems, warnings } = await examineSource({ mirrors: [moved, source] });
  expect(problems).toEqual([]);
  expect(warnings).toEqual([
    `warning: ${moved.origin} redirects to ${source.origin}: remove it from SOURCE_URLS`,
  ]);
});

test('an unreadable card is a warning', async () => {
  const source = await openTestSource(defer);
  const { title = '' } = source.catalogue.anime[3] ?? {};
  rewritingList(`<h2 class="jdlflm">${title}</h2>`, '')(source);
  const { problems, warnings } = await examineSource({ mirrors: [source] });
  expect(problems).toEqual([]);
  expect(warnings[0]).toMatch(/^warning: ongoing page 1, card 4: cannot read title/u);
});

test('selectors that are repaired are warnings with the line to write', async () => {
  const source = await openTestSource(defer);
  const known = await openTestSource(defer);
  rewritingList('jdlflm', 'judul')(source);
  const { problems, warnings } = await examineSource({ mirrors: [source], known });
  expect(problems).toEqual([]);
  expect(warnings).toContainEqual(
    `warning: title: .judul instead of .jdlflm for 0 seconds, right for 100 % of the anime; in ${SELECTORS} write title: '.judul', for the ongoing list`,
  );
});

test('a source that refuses covers is a warning, and COVERS=off is named', async () => {
  const source = await openTestSource(defer);
  expect((await examineSource({ mirrors: [source], covers: 'on' })).found.at(-1)).toMatch(
    /^ok: read the cover of .+ stored as /u,
  );
  source.fault = ({ url = '' }, response) =>
    url.startsWith('/wp-content/') && always(403)(undefined as never, response);
  const { problems, warnings } = await examineSource({ mirrors: [source], covers: 'on' });
  expect(problems).toEqual([]);
  expect(warnings).toEqual([expect.stringMatching(/^warning: the cover of .+: the host answered 403 /u)]);
  const off = await examineSource({ mirrors: [source] });
  expect(off.found.at(-1)).toBe('off: covers come from the source (COVERS)');
});
