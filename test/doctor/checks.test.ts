import { describe, expect, test } from 'vitest';
import { initialStatus } from '../../src/crawler/source-state.ts';
import { type Finding, formatDuration, redactUrl } from '../../src/doctor/check.ts';
import { checkClock } from '../../src/doctor/clock.ts';
import { checkConfiguration, checkPublicAddresses } from '../../src/doctor/configuration.ts';
import { findings, MB, settings } from './support/findings.ts';

describe('public addresses', () => {
  test.each([
    ['https://anime.example.org', 'https://files.example.net', 'ok'],
    ['https://satu.my.id', 'https://dua.my.id', 'ok'],
    ['https://anime.example.org', 'https://files.example.org', 'warning'],
    ['https://anime.satu.my.id', 'https://berkas.satu.my.id', 'warning'],
    ['https://example.org', 'https://example.org:8443', 'warning'],
    ['http://10.0.0.1', 'http://10.0.0.2', 'ok'],
    ['https://example.org', 'https://example.org', 'problem'],
  ])('%s and %s: %s', async (baseUrl, url, level) => {
    const upload = { ...settings().upload, url };
    const [first] = await findings(checkPublicAddresses(settings({ baseUrl, upload })));
    expect(first).toMatch(new RegExp(`^${level}: BASE_URL .* UPLOAD_URL`, 'u'));
  });

  test('two ports that are chosen freely do not conflict', async () => {
    const upload = { ...settings().upload, port: 0 };
    const [first] = await findings(checkPublicAddresses(settings({ port: 0, upload })));
    expect(first).toMatch(/^warning/u);
  });
});

describe('configuration', () => {
  test('has no problem by default', async () => {
    expect(await findings(checkConfiguration(settings()))).toEqual(['ok: every variable is valid']);
  });

  test('has a problem when variables contradict each other', async () => {
    const source = { ...settings().source, delayMs: 20_000 };
    const upload = { ...settings().upload, maxBytes: 2 * MB };
    const [, ...found] = await findings(checkConfiguration(settings({ source, upload })));
    expect(found).toEqual([
      expect.stringContaining('problem: SOURCE_DELAY (20000 ms) uses up SOURCE_TIMEOUT'),
      expect.stringContaining('UPLOAD_QUOTA (1.00 MB)'),
      expect.stringContaining('UPLOAD_ADDRESS_QUOTA (1.00 MB)'),
    ]);
  });
});

describe('clock', () => {
  const NOON = Date.parse('2026-11-20T05:00:00Z');

  async function readAt(now: number): Promise<string[]> {
    const readStatus = async () => ({ ...initialStatus(0.5), attemptedAt: NOON });
    return findings(checkClock({ timeZone: 'Asia/Jakarta', now: () => now, readStatus }));
  }

  test.each([
    ['after the last crawl', NOON + 1, /^ok: it is 12:00:00 20\/11\/2026 in Asia\/Jakarta/u],
    ['before the last crawl', NOON - 7_200_000, /^problem: .*2 hours later.*clock/u],
    ['before Tayang existed', 0, /^problem: it is .*1970.*which is impossible/u],
  ])('%s', async (_when, now, expected) => {
    expect(await readAt(now)).toEqual([expect.stringMatching(expected)]);
  });
});

describe('a check', () => {
  test('that throws yields a problem after its earlier findings', async () => {
    async function* check(): AsyncGenerator<Finding> {
      yield { level: 'ok', text: 'so far' };
      throw new Error('the disk is gone');
    }
    expect(await findings(check())).toEqual(['ok: so far', 'problem: cannot be checked: the disk is gone']);
  });

  test('that times out yields a problem', async () => {
    async function* check(): AsyncGenerator<Finding> {
      await new Promise(() => {});
      yield { level: 'ok', text: 'never' };
    }
    expect(await findings(check(), 20)).toEqual([expect.stringMatching(/^problem: no answer within/u)]);
  });
});

test('durations are formatted in the largest unit that fits', () => {
  expect([900, 1_000, 119_000, 7_200_000, 3 * 86_400_000].map(formatDuration)).toEqual([
    ...['1 second', '1 second', '2 minutes', '2 hours', '3 days'],
  ]);
});

test('URLs are shown without passwords', () => {
  expect(redactUrl('rediss://me:secret@cache.example:6379?key=x')).toBe('rediss://***@cache.example:6379');
});
