import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { type Family, scrape } from '../support/metrics.ts';
import { hasProgram, testWith } from '../support/needs.ts';
import { readGroupings, readSelections } from '../support/promql.ts';
import { eventually, openTestService, temporaryFolder } from '../support/service.ts';
import { send, untilEnd, upload } from '../support/upload-client.ts';
import troubles from './troubles.json' with { type: 'json' };

interface Rule {
  alert: string;
  expr: string;
  for?: string;
  annotations: { summary: string; runbook: string };
}

interface Panel {
  type: string;
  title: string;
  targets?: { expr: string; legendFormat: string }[];
}

const ROOT = path.resolve(import.meta.dirname, '../..');
const FILE = path.join(ROOT, 'deploy/prometheus/alerts.yaml');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const testWithPromtool = testWith(hasProgram('promtool'), 'promtool: install Prometheus');

const { groups } = parse(read('deploy/prometheus/alerts.yaml')) as { groups: { rules: Rule[] }[] };
const RULES = groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(read('deploy/grafana/tayang.json')) as { panels: Panel[] };
const TARGETS = panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })));

const defer = untilEnd();
let families: Family[];

beforeAll(async () => {
  const environment = { METRICS_PORT: '0', REFRESH_CRON: 'off', UPLOAD_RATE_LIMIT: '1' };
  const { operations, uploads } = await openTestService(defer, environment);
  // Metrics with labels have samples only once there was something to count.
  await upload(uploads);
  await send(uploads, { path: '/upload', method: 'POST' });
  await sendTooMany(uploads);
  // Closed connections are counted together, every few seconds.
  ({ families } = await eventually(
    () => scrape(operations),
    (scraped) =>
      scraped.families.some(
        ({ name, metrics }) => name === 'tayang_connections_closed_total' && metrics.length > 0,
      ),
  ));
});

/** Sends more requests at once than may wait on a connection, so that it is closed. */
async function sendTooMany(origin: string): Promise<void> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.resume().write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(200));
  await once(socket, 'close');
}

function labelsOf(name: string): string[] {
  const family = families.find((candidate) => candidate.name === name);
  expect(family?.metrics.length, `samples of ${name}`).toBeGreaterThan(0);
  return Object.keys(family?.metrics[0]?.labels ?? {});
}

/** Expects that what an expression selects is measured, with every label that it needs or that a text shows. */
function expectMeasured(expression: string, text: string): void {
  const selections = readSelections(expression);
  expect(selections.length, expression).toBeGreaterThan(0);
  for (const { name, labels } of selections)
    expect(labelsOf(name), name).toEqual(expect.arrayContaining(labels));
  const all = selections.flatMap(({ name }) => labelsOf(name));
  expect(all, `${expression}: ${text}`).toEqual(expect.arrayContaining(readGroupings(expression, text)));
}

describe('the alert rules', () => {
  test.each(RULES)('$alert uses existing metrics', ({ expr, annotations }) => {
    expectMeasured(expr, annotations.summary);
  });

  test.each(RULES)('$alert has a section of the manual that says what to do', ({ alert, annotations }) => {
    const [file = '', section] = annotations.runbook.split('#');
    const sections = [...read(file).matchAll(/^#+ (.+)$/gmu)].map(([, title = '']) => title.toLowerCase());
    expect(section).toBe(alert.toLowerCase());
    expect(sections).toContain(section);
  });

  testWithPromtool('are accepted by Prometheus', () => {
    const { status, stderr } = spawnSync('promtool', ['check', 'rules', FILE], { encoding: 'utf8' });
    expect(status, stderr).toBe(0);
  });

  testWithPromtool('fire when they must, and only then', async () => {
    const cases = Object.entries(troubles).flatMap(([alert, { trouble, calm }]) => [
      caseOf(alert, trouble, true),
      caseOf(alert, calm, false),
    ]);
    expect(Object.keys(troubles)).toEqual(RULES.map(({ alert }) => alert));
    const file = path.join(await temporaryFolder(onTestFinished), 'test.yaml');
    await writeFile(file, stringify({ rule_files: [FILE], evaluation_interval: '1m', tests: cases }));
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
  });
});

/** How long a case lasts: as long as the slowest alert takes, or an hour. */
const HOURS: Record<string, number> = {
  TayangSnapshotOld: 3,
  TayangWebhookFailing: 3,
  TayangReportsWaiting: 7,
};

/** Whether an alert fires after this was measured from minute to minute, as `promtool test rules` reads it. */
function caseOf(alert: string, series: Record<string, string>, fires: boolean) {
  const values = Object.entries(series).map(([name, values]) => ({ series: name, values }));
  const expr = `count(ALERTS{alertname="${alert}", alertstate="firing"}) or vector(0)`;
  const test = {
    expr,
    eval_time: `${HOURS[alert] ?? 1}h`,
    exp_samples: [{ labels: '{}', value: fires ? 1 : 0 }],
  };
  return { interval: '1m', input_series: values, promql_expr_test: [test] };
}

describe('the dashboard', () => {
  test.each(TARGETS)('$title: $legendFormat uses existing metrics', ({ expr, legendFormat }) => {
    expectMeasured(expr, legendFormat);
  });

  test('shows every metric of the service', () => {
    const own = families.map(({ name }) => name.replace(/_(?:bucket|sum|count)$/u, '')).filter(isOwn);
    const shown = TARGETS.flatMap(({ expr }) => readSelections(expr)).map(({ name }) =>
      name.replace(/_bucket$/u, ''),
    );
    expect(own.length).toBeGreaterThan(20);
    expect([...new Set(own)].filter((name) => !shown.includes(name))).toEqual([]);
  });

  testWithPromtool('has expressions that Prometheus accepts', async () => {
    const rules = TARGETS.map(({ expr }, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
    }));
    const file = path.join(await temporaryFolder(onTestFinished), 'rules.yaml');
    await writeFile(file, stringify({ groups: [{ name: 'dashboard', rules }] }));
    const { status, stderr } = spawnSync('promtool', ['check', 'rules', file], { encoding: 'utf8' });
    expect(status, stderr).toBe(0);
  });
});

const isOwn = (name: string) => name.startsWith('tayang_');
