import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { scrape } from '../support/metrics.ts';
import { hasProgram, testWith } from '../support/needs.ts';
import { openTestService } from '../support/service.ts';

interface Rule {
  alert: string;
  expr: string;
  annotations: { summary: string; runbook: string };
}

const ROOT = path.resolve(import.meta.dirname, '../..');
const FILE = path.join(ROOT, 'deploy/prometheus/alerts.yaml');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

describe('the alert rules', () => {
  let rules: Rule[];

  beforeAll(() => {
    const { groups } = parse(readFileSync(FILE, 'utf8')) as { groups: { rules: Rule[] }[] };
    rules = groups.flatMap((group) => group.rules);
  });

  test('are four', () => {
    const names = rules.map(({ alert }) => alert);
    expect(names).toEqual([
      ...['TayangSnapshotOld', 'TayangSourceInTrouble', 'TayangMarkupChanged', 'TayangStoreNearlyFull'],
    ]);
  });

  test('ask for metrics that there are, with labels that they have', async () => {
    const { operations } = await openTestService(onTestFinished, { METRICS_PORT: '0', REFRESH_CRON: 'off' });
    const { families } = await scrape(operations);
    const asked = rules.flatMap(({ expr }) => [...expr.matchAll(/(tayang_\w+)(?:\{(\w+))?/gu)]);
    expect(asked.length).toBeGreaterThanOrEqual(rules.length);
    for (const [, name, label] of asked) {
      const family = families.find((candidate) => candidate.name === name);
      expect(family?.metrics.length, name).toBeGreaterThan(0);
      if (label) expect(family?.metrics[0]?.labels).toHaveProperty(label);
    }
  });

  test('name a section of the manual that says what to do', () => {
    for (const { annotations } of rules) {
      const [file = '', section] = annotations.runbook.split('#');
      const sections = [...read(file).matchAll(/^#+ (.+)$/gmu)].map(([, title = '']) => title.toLowerCase());
      expect(sections).toContain(section);
    }
  });

  testWith(hasProgram('promtool'), 'promtool: install Prometheus')('are accepted by Prometheus', () => {
    const { status, stderr } = spawnSync('promtool', ['check', 'rules', FILE], { encoding: 'utf8' });
    expect(status, stderr).toBe(0);
  });
});
