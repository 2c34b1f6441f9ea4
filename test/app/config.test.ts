import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/app/config.ts';
import { ConfigError } from '../../src/app/environment-reader.ts';
import defaults from './defaults.json' with { type: 'json' };
import MISSPELT from './misspelt-names.json' with { type: 'json' };
import SECRETS from './wrong-secrets.json' with { type: 'json' };
import WRONG_VALUES from './wrong-values.json' with { type: 'json' };

const read = (environment: Record<string, string>) => readConfig(environment, '1.2.3');

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    read(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const DATA_DIR = path.resolve('data');

const DEFAULTS = {
  ...defaults,
  version: '1.2.3',
  dataDir: DATA_DIR,
  cacheUrl: `sqlite:${DATA_DIR}/cache.sqlite`,
  upload: { ...defaults.upload, storageUrl: `file:${DATA_DIR}/uploads` },
};

describe('a configuration', () => {
  test('has the documented defaults', () => {
    expect(read({})).toEqual(DEFAULTS);
  });

  test('treats an empty variable as unset', () => {
    const names = namesRead();
    expect(read(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(DEFAULTS);
    expect(read(Object.fromEntries(names.map((name) => [name, ' \t'])))).toEqual(DEFAULTS);
  });

  test('has the values of the variables', () => {
    const config = read({
      HOST: '::1',
      PORT: '0',
      BASE_URL: 'https://Anime.example.org/',
      SOURCE_PROXY: 'http://user:secret@proxy.example.org:8080',
      SOURCE_DELAY: '1.5h',
      SOURCE_USER_AGENT: 'Somebody/2 (+https://example.org)',
      TIME_ZONE: 'UTC',
      CACHE_URL: 'memory:',
      LOG_LEVEL: 'silent',
    });
    expect(config).toMatchObject({
      host: '::1',
      port: 0,
      baseUrl: 'https://anime.example.org',
      timeZone: 'UTC',
      cacheUrl: 'memory:',
      logLevel: 'silent',
      source: {
        proxy: 'http://user:secret@proxy.example.org:8080/',
        delayMs: 5_400_000,
        userAgent: 'Somebody/2 (+https://example.org)',
      },
    });
  });

  test.each([
    ['mailto:operator@example.org', 'mailto:operator@example.org'],
    ['MAILTO:First.Last+tayang@mail.Example.co.id', 'mailto:First.Last+tayang@mail.Example.co.id'],
    ['mailto:x@xn--bcher-kva.example', 'mailto:x@xn--bcher-kva.example'],
    ['https://anime.example.org', 'https://anime.example.org/'],
    ['https://anime.example.org:8443/contact', 'https://anime.example.org:8443/contact'],
    ['https://93.184.216.34/', 'https://93.184.216.34/'],
  ])('has %s as the contact of push services', (PUSH_CONTACT, contact) => {
    expect(read({ PUSH_CONTACT }).pushContact).toBe(contact);
  });

  test('lists the receivers of webhooks, each once', () => {
    const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    const urls = [
      'https://hooks.example.org/a?b=c#d',
      'https://discord.com/api/webhooks/12/ab-c_d',
      'https://canary.discord.com/api/v10/webhooks/12/ab',
      'https://discord.com/elsewhere',
      'telegram://12:ab-c@-100123',
      'telegram://12%3Aab-c@kanal_baru',
    ];
    const { webhooks } = read({ WEBHOOK_URLS: ` ${urls.join(', ')}, ${urls[0]},`, WEBHOOK_SECRET: secret });
    expect(webhooks).toEqual({
      secret,
      allowsPrivate: false,
      receivers: [
        { kind: 'standard', url: 'https://hooks.example.org/a?b=c' },
        { kind: 'discord', url: urls[1] },
        { kind: 'discord', url: urls[2] },
        { kind: 'standard', url: urls[3] },
        { kind: 'telegram', token: '12:ab-c', chat: '-100123' },
        { kind: 'telegram', token: '12:ab-c', chat: '@kanal_baru' },
      ],
    });
    const local = read({ WEBHOOK_URLS: 'http://127.0.0.1:5678/hook', WEBHOOK_PRIVATE: 'on' });
    expect(local.webhooks.receivers).toEqual([{ kind: 'standard', url: 'http://127.0.0.1:5678/hook' }]);
  });

  test('keeps the store in the data folder by default', () => {
    expect(read({ DATA_DIR: '/srv/tayang' }).cacheUrl).toBe('sqlite:/srv/tayang/cache.sqlite');
    expect(read({ DATA_DIR: '/srv/tayang', CACHE_URL: 'sqlite:/tmp/x' }).cacheUrl).toBe('sqlite:/tmp/x');
  });

  test('lists mirrors in order, without duplicates', () => {
    const mirrors = 'https://b.example, https://a.example:443/ ,https://B.example,http://a.example';
    const expected = ['https://b.example', 'https://a.example', 'http://a.example'];
    expect(read({ SOURCE_URLS: mirrors }).source.urls).toEqual(expected);
  });

  test('is frozen', () => {
    expect(read({})).toSatisfy(Object.isFrozen);
  });

  test('has no timer when REFRESH_CRON is off', () => {
    expect(read({ REFRESH_CRON: 'off' }).refreshCron).toBeNull();
    expect(read({ REFRESH_CRON: '30 9 * * MON' }).refreshCron).toBe('30 9 * * MON');
  });
});

/** Pairs of a variable and one of its values. */
const valuesOf = (values: Record<string, string[]>) =>
  Object.entries(values).flatMap(([name, texts]) => texts.map((text): [string, string] => [name, text]));

describe('a wrong value', () => {
  test.each([
    ...valuesOf(WRONG_VALUES),
    ['SOURCE_USER_AGENT', 'x'.repeat(257)],
    ['UPLOAD_SCANNER_URL', `clamd:/${'x'.repeat(200)}`],
  ])('is reported by its name: %s=%s', (name, text) => {
    const problems = problemsOf({ [name]: text });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name} must `, 'u'));
    expect(problems[0]).toContain(text);
  });

  test.each(valuesOf(SECRETS.inPart))('is reported without its secret: %s', (name, text) => {
    const problems = problemsOf({ [name]: text });
    expect(problems).toHaveLength(1);
    expect(problems[0]).not.toContain('secret');
  });

  test.each(valuesOf(SECRETS.asAWhole))(
    'is reported by its name and not shown, since it is a secret: %s=%s',
    (name, text) => {
      const problems = problemsOf({ [name]: text });
      expect(problems).toHaveLength(1);
      expect(problems[0]).toMatch(new RegExp(`^${name} must `, 'u'));
      expect(problems[0]).not.toMatch(/secret|example|192/u);
    },
  );

  test.each([
    'redis://:to#ngue@localhost',
    'redis://user:to?ngue@localhost',
    'redis://user:to@ngue@localhost:6379',
    'redis://tayang:12/ngue@localhost',
    'redis://tayang:12#34@localhost',
    'rediss://user:to%ngue@localhost',
    'redis://ngue#to',
  ])('is reported without any of it where a password ends it early: %s', (address) => {
    for (const name of ['CACHE_URL', 'UPLOAD_LIMITER_URL'])
      expect(problemsOf({ [name]: address })).toEqual([
        expect.stringMatching(
          new RegExp(`^${name} has a password with a character that ends it: [^;]*$`, 'u'),
        ),
      ]);
    const proxy = address.replace(/^rediss?/u, 'http');
    expect(problemsOf({ SOURCE_PROXY: proxy })).toEqual([expect.not.stringMatching(/ngue|12|tayang/u)]);
    expect(() => read({ CACHE_URL: 'redis://user:p%23%3F%40@localhost:6379/1?prefix=a' })).not.toThrow();
  });

  test.each([
    [{ SERVE: 'refresh', REFRESH_CRON: 'off' }, /^SERVE=refresh does nothing/u],
    [{ SERVE: 'listing', CACHE_URL: 'memory:' }, /^SERVE has listing, which could never answer/u],
    [{ SERVE: 'listing,uploads', CACHE_URL: 'memory:' }, /^SERVE has listing/u],
    [{ REFRESH_CRON: 'off', CACHE_URL: 'memory:' }, /^SERVE has listing/u],
    [{ SERVE: 'refresh', CACHE_URL: 'memory:' }, /^CACHE_URL=memory: hides/u],
  ])('is what could never do anything: %o', (environment, problem) => {
    expect(problemsOf(environment)).toEqual([expect.stringMatching(problem)]);
  });

  test.each([
    { SERVE: 'uploads', CACHE_URL: 'memory:', REFRESH_CRON: 'off' },
    { SERVE: 'listing', REFRESH_CRON: 'off' },
    { SERVE: 'refresh' },
    { CACHE_URL: 'memory:' },
  ])('is not a process that has something to do: %o', (environment) => {
    expect(() => read(environment)).not.toThrow();
  });

  test('is reported together with all other problems', () => {
    const wrong = {
      PORT: 'x',
      BASE_URL: 'x',
      SOURCE_URLS: 'x',
      SOURCE_DELAY: 'x',
      SOURCE_TIMEOUT: 'x',
      SOURCE_PROXY: 'x',
      SOURCE_USER_AGENT: '½',
      REFRESH_CRON: 'x',
      TIME_ZONE: 'x',
      CACHE_URL: 'x',
      LOG_LEVEL: 'x',
      UPLOAD_PORT: 'x',
      METRICS_PORT: 'x',
      UPLOAD_STORAGE_URL: 'x',
      UPLOAD_OFFLOAD: 's3',
    };
    const named = problemsOf(wrong).map((problem) => problem.split(' ')[0] ?? '');
    expect(named.toSorted()).toEqual(Object.keys(wrong).toSorted());
    expect(() => read(wrong)).toThrow(/PORT[\s\S]*LOG_LEVEL/u);
  });
});

describe('sockets that a supervisor passes on', () => {
  const passed = (names: string, count: number, pid = process.pid) => ({
    LISTEN_PID: String(pid),
    LISTEN_FDS: String(count),
    LISTEN_FDNAMES: names,
  });

  test('are found by their names, in any order', () => {
    expect(read(passed('listing:uploads', 2)).sockets).toEqual({ listing: 3, uploads: 4 });
    expect(read(passed('uploads:listing', 2)).sockets).toEqual({ uploads: 3, listing: 4 });
    expect(read(passed('uploads', 1)).sockets).toEqual({ uploads: 3 });
  });

  test('are left alone where they are meant for another process', () => {
    expect(read(passed('listing:uploads', 2, process.pid + 1)).sockets).toEqual({});
  });

  test.each([
    ['tayang.socket:uploads', 2],
    ['listing', 2],
    ['', 1],
  ])('must be called listing and uploads: "%s" of %i', (names, count) => {
    expect(problemsOf(passed(names, count))).toEqual([
      'LISTEN_FDNAMES must be listing, uploads, or both (FileDescriptorName= of the socket unit)',
    ]);
  });
});

describe('a variable that is misspelt', () => {
  test.each(Object.entries(MISSPELT.meant))('is reported with the name that was meant: %s', (name, meant) => {
    expect(problemsOf({ [name]: 'x' })).toEqual([
      `${name} is not a variable of Tayang; did you mean ${meant}?`,
    ]);
  });

  test('is not reported where the one that was meant is set, or where it is empty', () => {
    expect(problemsOf({ SOURCE_URL: 'x', SOURCE_URLS: 'https://one.example' })).toEqual([]);
    expect(problemsOf({ SOURCE_URL: ' ' })).toEqual([]);
  });

  test('is not found among the variables of other programs', () => {
    expect(problemsOf(Object.fromEntries(MISSPELT.others.map((name) => [name, 'x'])))).toEqual([]);
  });

  test('is not seen in what Kubernetes and Docker set for a service whose name is close to ours', () => {
    expect(problemsOf({ UPLOADS_PORT: 'tcp://10.0.0.7:3001', METRIC_PORT: 'udp://10.0.0.8:9' })).toEqual([]);
  });
});

/** The variables that readConfig reads. */
function namesRead(): string[] {
  const names = new Set<string>();
  const environment = new Proxy({}, { get: (_, name) => void names.add(String(name)) });
  readConfig(environment, '1.2.3');
  return [...names];
}

test('equal origins are reported', () => {
  expect(problemsOf({ PORT: '80', UPLOAD_PORT: '80', METRICS_PORT: '80' })).toEqual([
    expect.stringMatching(/^UPLOAD_PORT must/u),
    expect.stringMatching(/^METRICS_PORT must/u),
    expect.stringMatching(/^METRICS_PORT must/u),
  ]);
  expect(problemsOf({ PORT: '0', UPLOAD_PORT: '0', METRICS_PORT: '0' })).toEqual([]);
  const url = 'https://one.example';
  expect(problemsOf({ BASE_URL: url, UPLOAD_URL: url })).toEqual([
    expect.stringMatching(/^UPLOAD_URL must/u),
  ]);
});

const readText = (file: string) => readFileSync(path.resolve(import.meta.dirname, '../..', file), 'utf8');

/** systemd sets LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES. */
const ours = () =>
  namesRead()
    .filter((name) => !name.startsWith('LISTEN_'))
    .toSorted();

describe('.env.example', () => {
  const example = readText('.env.example');

  test('names exactly the variables that are read', () => {
    const named = [...example.matchAll(/^#?\s*([A-Z][A-Z0-9_]*)=/gmu)].map(([, name]) => name);
    expect(named.toSorted()).toEqual(ours());
  });

  test('sets every variable to its default', () => {
    expect(read(parseEnv(example) as Record<string, string>)).toEqual(DEFAULTS);
  });

  test('has valid examples', () => {
    const all = example.replace(/^#\s*(?=[A-Z][A-Z0-9_]*=)/gmu, '');
    expect(problemsOf(parseEnv(all) as Record<string, string>)).toEqual([]);
  });
});

describe('docs/configuration.md', () => {
  const rows = [...readText('docs/configuration.md').matchAll(/^\| `(\w+)` \| (.+?) \|/gmu)].map(
    ([, name = '', value = '']) => [name, value] as const,
  );

  test('has a row for exactly the variables that are read', () => {
    expect(rows.map(([name]) => name).toSorted()).toEqual(ours());
  });

  test('names the default of each', () => {
    const set = rows
      .filter(([, value]) => value !== 'none')
      .map(([name, value]) => [name, value.slice(1, -1)]);
    const { BASE_URL, UPLOAD_URL, CACHE_URL, UPLOAD_STORAGE_URL, SOURCE_USER_AGENT, ...plain } =
      Object.fromEntries(set);
    expect(read(plain)).toEqual(DEFAULTS);
    const derived = [CACHE_URL, UPLOAD_STORAGE_URL].map((value) => value.replace('DATA_DIR', DATA_DIR));
    expect(derived).toEqual([DEFAULTS.cacheUrl, DEFAULTS.upload.storageUrl]);
    expect(SOURCE_USER_AGENT.replace('VERSION', '1.2.3')).toBe(DEFAULTS.source.userAgent);
    expect([BASE_URL, UPLOAD_URL]).toEqual(['http://localhost:PORT', 'http://localhost:UPLOAD_PORT']);
  });
});
