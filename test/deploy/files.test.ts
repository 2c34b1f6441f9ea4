import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/app/config.ts';
import { onlyStep, readDockerfile, readEnv } from './dockerfile.ts';

interface Service {
  image: string;
  environment?: Record<string, unknown>;
  volumes?: string[];
  depends_on?: string[] | object;
  read_only?: boolean;
  stop_grace_period?: string;
}

const ROOT = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

/** The variables that the service, its drivers and Node read. */
const KNOWN = [
  ...Object.keys(parseEnv(read('.env.example').replace(/^#(?=[A-Z_]+=)/gmu, ''))),
  ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'NODE_ENV'],
];
/** The time to stop, which is longer than the service takes. */
const GRACE = '40s';

describe('compose.yaml', () => {
  const { services, volumes } = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<string, Service>;
    volumes: object;
  };
  const own = Object.values(services).filter(({ image }) => image === 'tayang');

  test('runs two processes with a read-only root and only known variables', () => {
    expect(own).toHaveLength(2);
    for (const { environment = {}, read_only, stop_grace_period } of own) {
      expect(KNOWN).toEqual(expect.arrayContaining(Object.keys(environment)));
      expect(read_only).toBe(true);
      expect(stop_grace_period).toBe(GRACE);
    }
  });

  test('has valid defaults for its variables', () => {
    for (const { environment = {} } of own) {
      const set = Object.entries(environment).map(([name, value]) => [
        name,
        String(value).replace(/\$\{\w+:-([^}]*)\}/gu, '$1'),
      ]);
      expect(() => readConfig(Object.fromEntries(set), '0.0.0')).not.toThrow();
    }
  });

  test('mounts existing files and volumes, and depends on existing services', () => {
    for (const { volumes: mounted = [], depends_on = [] } of Object.values(services)) {
      for (const source of mounted.map((mount) => mount.split(':')[0] ?? '')) {
        const isThere = source.startsWith('.') ? existsSync(path.join(ROOT, source)) : source in volumes;
        expect(isThere, source).toBe(true);
      }
      const awaited = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
      expect(Object.keys(services)).toEqual(expect.arrayContaining(awaited));
    }
  });
});

test('apart.yaml runs each of the three jobs in a service of its own', () => {
  const { services } = parse(read('deploy/compose/apart.yaml')) as { services: Record<string, Service> };
  const base = parse(read('compose.yaml'), { merge: true }) as { services: Record<string, Service> };
  const jobs = Object.values(services).map(({ environment }) => environment?.SERVE);
  expect(jobs.sort()).toEqual(['listing', 'refresh', 'uploads']);
  const added = Object.keys(services).filter((name) => !Object.hasOwn(base.services, name));
  expect(added).toEqual(['tayang-crawler']);
  for (const SERVE of jobs) expect(() => readConfig({ SERVE: String(SERVE) }, '0.0.0')).not.toThrow();
});

test('the image sets only known variables', () => {
  const steps = readDockerfile(read('Dockerfile')).get('') ?? [];
  expect(KNOWN).toEqual(expect.arrayContaining(Object.keys(readEnv(onlyStep(steps, 'ENV')))));
});

test('the systemd unit sets only known variables, and allows enough time to stop', () => {
  const unit = read('deploy/systemd/tayang@.service');
  const [, set = ''] = /^Environment=(.*)$/mu.exec(unit) ?? [];
  expect(KNOWN).toEqual(expect.arrayContaining(Object.keys(readEnv(set))));
  expect(unit).toContain(`TimeoutStopSec=${GRACE}`);
});

test('the systemd service gets both sockets, by the names that it knows them by', () => {
  const [, units = ''] = /^Sockets=(.*)$/mu.exec(read('deploy/systemd/tayang@.service')) ?? [];
  const names = units
    .split(' ')
    .map((unit) => /^FileDescriptorName=(.*)$/mu.exec(read(`deploy/systemd/${unit}`))?.[1]);
  expect(names).toEqual(['listing', 'uploads']);
  const sockets = { LISTEN_PID: String(process.pid), LISTEN_FDS: '2', LISTEN_FDNAMES: names.join(':') };
  expect(readConfig(sockets, '0.0.0').sockets).toEqual({ listing: 3, uploads: 4 });
});
