import { expect, test } from 'vitest';
import { type Check, forJobs, redactUrl } from '../../src/doctor/check.ts';
import { checkConfiguration, checkPublicAddresses } from '../../src/doctor/configuration.ts';
import { configOf, findings } from './support/findings.ts';

test.each([
  ['https://anime.example.org', 'https://files.example.net', 'ok'],
  ['https://satu.my.id', 'https://dua.my.id', 'ok'],
  ['https://anime.example.org', 'https://files.example.org', 'warning'],
  ['https://anime.satu.my.id', 'https://berkas.satu.my.id', 'warning'],
  ['https://example.org', 'https://example.org:8443', 'warning'],
  ['http://10.0.0.1', 'http://10.0.0.2', 'ok'],
  // Two ports that are chosen freely do not conflict.
  ['', '', 'warning'],
])('the public addresses %s and %s: %s', async (BASE_URL, UPLOAD_URL, level) => {
  const config = configOf({ PORT: '0', UPLOAD_PORT: '0', BASE_URL, UPLOAD_URL });
  const [first] = await findings(checkPublicAddresses, config);
  expect(first).toMatch(new RegExp(`^${level}: BASE_URL .* UPLOAD_URL`, 'u'));
});

test('the configuration has no problem by default', async () => {
  expect(await findings(checkConfiguration, configOf({}))).toEqual(['ok: all variables are valid']);
});

test('variables that contradict each other are a problem', async () => {
  const quotas = { UPLOAD_MAX_SIZE: '2 MB', UPLOAD_QUOTA: '1 MB', UPLOAD_ADDRESS_QUOTA: '1 MB' };
  const config = configOf({ SOURCE_DELAY: '20s', ...quotas });
  const [, ...found] = await findings(checkConfiguration, config);
  expect(found).toEqual([
    expect.stringContaining('problem: no redirect of the source can be followed: SOURCE_DELAY (20000 ms)'),
    expect.stringContaining('UPLOAD_QUOTA (1.00 MB)'),
    expect.stringContaining('UPLOAD_ADDRESS_QUOTA (1.00 MB)'),
  ]);
});

test('what has no effect, and what cannot work, is named', async () => {
  const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32).toString('base64')}`;
  const PUSH_CONTACT = 'mailto:operator@example.org';
  const found = await findings(
    checkConfiguration,
    configOf({ WEBHOOK_SECRET, PUSH_CONTACT, BASE_URL: 'http://a.example' }),
  );
  expect(found.slice(1)).toEqual([
    expect.stringMatching(/^problem: .*BASE_URL is http:\/\/a\.example.*PUSH_CONTACT/u),
    expect.stringMatching(/^warning: WEBHOOK_SECRET signs nothing without WEBHOOK_URLS/u),
  ]);
  for (const BASE_URL of ['https://a.example', 'http://localhost:3000', 'http://127.0.0.1:3000'])
    expect(await findings(checkConfiguration, configOf({ PUSH_CONTACT, BASE_URL }))).toHaveLength(1);
});

test('what SERVE leaves out is off', async () => {
  const check = forJobs(['listing', 'refresh'], async (_config, show) => show('ok', 'looked'));
  expect(await findings(check, configOf({ SERVE: 'uploads' }))).toEqual([
    'off: not in this process (SERVE has no listing and no refresh)',
  ]);
  expect(await findings(check, configOf({ SERVE: 'uploads,refresh' }))).toEqual(['ok: looked']);
});

test('a check that throws yields a problem after its earlier findings', async () => {
  const check: Check = async (_context, show) => {
    show('ok', 'so far');
    throw new Error('the disk is gone');
  };
  expect(await findings(check, configOf({}))).toEqual([
    'ok: so far',
    'problem: cannot be checked: the disk is gone',
  ]);
});

test('a check that times out yields a problem', async () => {
  const check: Check = () => new Promise(() => {});
  expect(await findings(check, configOf({}), 20)).toEqual([
    expect.stringMatching(/^problem: no answer within/u),
  ]);
});

test('URLs are shown without passwords', () => {
  expect(redactUrl('rediss://me:secret@cache.example:6379?key=x')).toBe('rediss://***@cache.example:6379');
});
