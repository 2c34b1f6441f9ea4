import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { type Family, scrape } from '../support/metrics.ts';
import { hasProgram, testWith } from '../support/needs.ts';
import { readGroupings, readSelections } from '../support/promql.ts';
import { openTestService, temporaryFolder } from '../support/service.ts';
import { send, untilEnd, upload } from '../support/upload-client.ts';

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
  ({ families } = await scrape(operations));
});

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
    const cases = Object.entries(TROUBLE).flatMap(([alert, [trouble, calm]]) => [
      caseOf(alert, trouble, true),
      caseOf(alert, calm, false),
    ]);
    expect(Object.keys(TROUBLE)).toEqual(RULES.map(({ alert }) => alert));
    const file = path.join(await temporaryFolder(onTestFinished), 'test.yaml');
    await writeFile(file, stringify({ rule_files: [FILE], evaluation_interval: '1m', tests: cases }));
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
  });
});

type Series = Record<string, string>;

/** For each alert, what is measured from minute to minute when it must fire, and when it must not. */
const TROUBLE: Record<string, [trouble: Series, calm: Series]> = {
  TayangSnapshotOld: [
    { tayang_snapshot_age_seconds: '10801+60x60' },
    { tayang_snapshot_age_seconds: '7000+0x60' },
  ],
  TayangSourceInTrouble: [
    { 'tayang_source_state{state="down"}': '1+0x60' },
    { 'tayang_source_state{state="ok"}': '1+0x60' },
  ],
  TayangMarkupChanged: [{ tayang_repaired_selectors: '1+0x60' }, { tayang_repaired_selectors: '0+0x60' }],
  TayangStoreNearlyFull: [
    { tayang_stored_bytes: '91+0x60', tayang_quota_bytes: '100+0x60' },
    { tayang_stored_bytes: '89+0x60', tayang_quota_bytes: '100+0x60' },
  ],
  TayangDiskNearlyFull: [{ tayang_free_bytes: '9e8+0x60' }, { tayang_free_bytes: 'Inf+0x60' }],
  TayangDependencyDown: [
    { 'tayang_dependency_up{name="limiter"}': '1x57 0x3' },
    {
      'tayang_dependency_up{name="limiter"}': '0x57 1x3',
      tayang_store_failures_total: '0 1x60',
      'tayang_scans_total{outcome="found"}': '0+1x60',
    },
  ],
  TayangErrors: [
    { 'tayang_requests_total{status="503"}': '0+6x60', 'tayang_requests_total{status="200"}': '0+94x60' },
    { 'tayang_requests_total{status="503"}': '0+4x60', 'tayang_requests_total{status="404"}': '0+96x60' },
  ],
  TayangThreadRestarts: [
    { tayang_thread_up: '1+0x60', tayang_thread_restarts_total: '0x50 1x10' },
    { tayang_thread_up: '1+0x60', tayang_thread_restarts_total: '1x60' },
  ],
  TayangWebhookFailing: [
    { tayang_webhook_failing_seconds: '3601+60x60' },
    { tayang_webhook_failing_seconds: '0+59x60' },
  ],
};

/** Whether an alert fires after an hour of these series, as `promtool test rules` reads it. */
function caseOf(alert: string, series: Series, fires: boolean) {
  const values = Object.entries(series).map(([name, values]) => ({ series: name, values }));
  const expr = `count(ALERTS{alertname="${alert}", alertstate="firing"}) or vector(0)`;
  const test = { expr, eval_time: '1h', exp_samples: [{ labels: '{}', value: fires ? 1 : 0 }] };
  return { interval: '1m', input_series: values, promql_expr_test: [test] };
}

describe('the dashboard', () => {
  test.each(TARGETS)('$title: $legendFormat uses existing metrics', ({ expr, legendFormat }) => {
    expectMeasured(expr, legendFormat);
  });

  test('shows every metric of the service, as does the manual', () => {
    const own = families.map(({ name }) => name.replace(/_(?:bucket|sum|count)$/u, '')).filter(isOwn);
    const shown = TARGETS.flatMap(({ expr }) => readSelections(expr)).map(({ name }) =>
      name.replace(/_bucket$/u, ''),
    );
    expect(own.length).toBeGreaterThan(20);
    expect([...new Set(own)].filter((name) => !shown.includes(name))).toEqual([]);
    const manual = read('docs/operations.md');
    expect([...new Set(own)].filter((name) => !manual.includes(`\`${name}`))).toEqual([]);
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
