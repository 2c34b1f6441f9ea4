import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { readConfig } from '../../src/app/config.ts';
import { runUploadsCommand } from '../../src/commands/uploads.ts';
import { parseUploadsArguments } from '../../src/commands/uploads-arguments.ts';
import { idInAddress } from '../../src/domain/upload-address.ts';
import { createReporting } from '../../src/uploads/moderation/reports.ts';
import { openDiskStorage } from '../../src/uploads/storage/disk.ts';
import type { Storage } from '../../src/uploads/storage.ts';
import { openTestS3 } from '../support/s3.ts';
import { runCommand, temporaryFolder } from '../support/service.ts';
import { HOUR_MS, keep, newId, sha256 } from '../support/uploads.ts';
import WRONG from './wrong-uploads.json' with { type: 'json' };

const defer = onTestFinished;
/** What acts on a terminal, but for line ends. */
const ACTIVE = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u;
const ANSI = '\x1b[31m\x9b31m\u202e\u2028\r\n';

let dataDir: string;
let storage: Storage;

beforeEach(async () => {
  dataDir = await temporaryFolder(defer);
  storage = await openDiskStorage(path.join(dataDir, 'uploads'));
  defer(() => storage.close());
  await storage.check(AbortSignal.timeout(10_000));
});

/** Runs the command in this process; by default as on a terminal. */
async function run(args: string[], environment: Record<string, string> = {}) {
  const config = readConfig({ DATA_DIR: dataDir, TIME_ZONE: 'UTC', ...environment }, '0.0.0');
  const [printed, errors]: [string[], string[]] = [[], []];
  const code = await runUploadsCommand(config, parseUploadsArguments(args), {
    print: (text) => void printed.push(text),
    printError: (text) => void errors.push(text),
  });
  return { code, output: printed.join('\n'), errors: errors.join('\n') };
}

const runJson = async (...args: string[]) => JSON.parse((await run([...args, '--json'])).output);

function keepFile(name = 'foto.png', content = 'x'): Promise<string> {
  const details = { originalname: name, address: '203.0.113.7', uploadedAt: Date.now() };
  return keep(storage, Buffer.from(content), Date.now() + HOUR_MS, details);
}

async function reportFile(id: string, note: string): Promise<void> {
  const reportFile = createReporting(storage.records, Date.now, () => {});
  await reportFile(id, { reason: 'malware', note });
}

describe('on a terminal', () => {
  test('files are a table without control characters from uploaders', async () => {
    const id = await keepFile(`foto${ANSI}merah.png`);
    const { code, output } = await run(['list']);
    const [header = '', row = '', ...more] = output.split('\n');
    expect([code, more]).toEqual([0, []]);
    expect(header).toMatch(/^ID +SIZE +TYPE +ADDRESS +UPLOADED +REPORTS +NAME$/u);
    expect(row).toMatch(
      new RegExp(
        `^${id}  1 B   image/png  203\\.0\\.113\\.7  \\d{4}-\\d\\d-\\d\\d .+ UTC  0        foto`,
        'u',
      ),
    );
    expect(output).not.toMatch(ACTIVE);
  });

  test('a file is shown with its facts and reports, cleaned', async () => {
    const id = await keepFile(`foto${ANSI}merah.png`);
    await reportFile(id, `catatan${ANSI}`);
    const { output } = await run(['show', id]);
    for (const fact of [
      `id          ${id}`,
      'size        1 B',
      'address     203.0.113.7',
      'malware  catatan',
    ])
      expect(output).toContain(fact);
    expect(output).not.toMatch(ACTIVE);
  });

  test('reports are a table with their notes, cleaned and cut', async () => {
    const id = await keepFile();
    await reportFile(id, `<b>${ANSI}${'panjang '.repeat(200)}`);
    const { output } = await run(['reports', id]);
    expect(output.split('\n')).toHaveLength(2);
    expect(output).toMatch(/malware {2}<b>\[31m31m panjang .*…$/u);
  });

  test('100 files are shown by default, with a line that there are more', async () => {
    for (let i = 0; i < 101; i += 1) await keepFile();
    const { output, errors } = await run(['list']);
    expect(output.split('\n')).toHaveLength(101);
    expect(errors).toContain('--json');
    expect(await runJson('list')).toHaveLength(101);
  });

  test('an action prints a sentence', async () => {
    const id = await keepFile('foto.png', 'bytes');
    await reportFile(id, 'catatan');
    const removed = await run(['remove', id, '--legal', '--block']);
    expect(removed.output).toContain(`Removed ${id}. Until it expires, its links answer 451`);
    expect(removed.output).toContain(`sha256:${sha256(Buffer.from('bytes'))}`);
    expect((await run(['remove', id])).output).toContain('answer 451');
    expect((await run(['block', 'address:10.1.2.3/8'])).output).toBe('Blocked address:10.0.0.0/8');
    expect((await run(['blocked'])).output.split('\n')).toHaveLength(2);
    expect((await run(['unblock', 'address:10.0.0.0/8'])).output).toBe('Unblocked address:10.0.0.0/8');
    expect((await run(['list'])).output).toBe('There are no such files.');
    expect((await run(['reports'])).output).toBe('There are no reports.');
  });
});

describe('in JSON', () => {
  test('a file has every field for the operator, and no secret', async () => {
    const id = await keepFile('foto.png', 'bytes');
    await reportFile(id, 'catatan');
    const [listed] = await runJson('list');
    expect(listed).toEqual({
      id,
      name: 'foto.png',
      size: 5,
      type: 'image/png',
      sentAs: 'image/png',
      sha256: sha256(Buffer.from('bytes')),
      address: '203.0.113.7',
      reports: 1,
      uploadedAt: expect.stringMatching(/Z$/u),
      expiresAt: expect.stringMatching(/Z$/u),
    });
    const shown = await runJson('show', id);
    expect(shown.reports).toEqual([{ id, reason: 'malware', note: 'catatan', at: expect.any(String) }]);
    expect(JSON.stringify([listed, shown])).not.toContain('f'.repeat(64));
  });

  test('texts of uploaders are unchanged, and escaped to ASCII where they could control a terminal', async () => {
    const id = await keepFile(`foto${ANSI}.png`);
    const { output } = await run(['show', id, '--json']);
    expect(JSON.parse(output).name).toBe(`foto${ANSI}.png`);
    expect(output).not.toMatch(ACTIVE);
  });

  test('each action prints its result', async () => {
    const id = await keepFile('foto.png', 'bytes');
    const removed = { id, reason: 'operator', sha256: sha256(Buffer.from('bytes')), blocked: false };
    expect(await runJson('remove', id)).toEqual(removed);
    expect(await runJson('block', 'address:::ffff:10.0.0.1')).toEqual({ blocked: ['address:10.0.0.1/32'] });
    expect(await runJson('blocked')).toEqual(['address:10.0.0.1/32']);
    expect(await runJson('unblock', 'address:10.0.0.1')).toEqual({ unblocked: ['address:10.0.0.1/32'] });
    const sha = 'ab'.repeat(32);
    expect(await runJson('block', `sha256:${sha.toUpperCase()}`)).toEqual({ blocked: [`sha256:${sha}`] });
    expect(await runJson('reports')).toEqual([]);
  });
});

describe('the list', () => {
  test('begins with the newest file, and has none that was removed or has expired', async () => {
    const keepAt = (uploadedAt: number, expiresAt = Date.now() + HOUR_MS) =>
      keep(storage, Buffer.from('x'), expiresAt, { uploadedAt });
    const ids = [await keepAt(5), await keepAt(9), await keepAt(1)];
    await run(['remove', await keepAt(7)]);
    await keepAt(8, Date.now() + HOUR_MS / 2);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + HOUR_MS / 2 });
    defer(() => void vi.useRealTimers());
    expect((await runJson('list')).map(({ id }: { id: string }) => id)).toEqual([ids[1], ids[0], ids[2]]);
  });

  test.each([
    [['--reported'], ['large.png']],
    [
      ['--type', 'image'],
      ['small.png', 'large.png'],
    ],
    [
      ['--type', 'image/*'],
      ['small.png', 'large.png'],
    ],
    [['--type', 'text/plain'], ['other.txt']],
    [['--larger', '4 B'], ['large.png']],
    [['--address', '198.51.100.0/24'], ['other.txt']],
    [['--type', 'image/png', '--larger', '9 KB'], []],
  ])('with %j has what matches: %j', async (args, names) => {
    await keepFile('small.png', 'x');
    await reportFile(await keepFile('large.png', 'bytes'), 'catatan');
    const other = {
      originalname: 'other.txt',
      mediaType: 'text/plain; charset=utf-8',
      address: '198.51.100.9',
    };
    await keep(storage, Buffer.from('x'), Date.now() + HOUR_MS, other);
    const listed: { name: string }[] = await runJson('list', ...args);
    expect(listed.map(({ name }) => name).sort()).toEqual(names.sort());
  });
});

describe('a wrong request', () => {
  test.each([
    ...(WRONG.failing as [string[], string][]),
    [['remove', `${newId(Date.now())}/x`], 'is not the id of a file.'],
    [['remove', newId(Date.now() + HOUR_MS)], 'There is no such file'],
    [['show', newId(1_700_000_000_000)], 'This file has expired.'],
  ])('%j fails with a sentence', async (args, message) => {
    const { code, output, errors } = await run(args);
    expect([code, output]).toEqual([1, '']);
    expect(errors).toContain(message);
  });

  test.each(WRONG.notUnderstood as [string[], string][])('%j is not understood', (args, message) => {
    expect(() => parseUploadsArguments(args)).toThrow(message);
  });

  test('a folder without uploads is refused as a wrong setting, and is not created', async () => {
    const { code, errors } = await run(['list'], { DATA_DIR: path.join(dataDir, 'elsewhere') });
    expect(code).toBe(1);
    expect(errors).toContain('run this with the environment of the service');
  });

  test('an outage of S3 is an error that says what to do', async () => {
    const s3 = await openTestS3(defer);
    const url = s3.url();
    await s3.stop();
    const { code, errors } = await run(['list'], { UPLOAD_STORAGE_URL: url });
    await s3.start();
    expect(code).toBe(1);
    expect(errors).toContain('endpoint in UPLOAD_STORAGE_URL');
  });
});

test.each([
  '',
  'http://localhost:3001/',
  'https://files.example.net/f/',
  '/r/',
  'https://files.example.net/dl/',
])('a file can be named by its id or by an address of it: %s…', (before) => {
  const id = newId(Date.now());
  expect(idInAddress(`${before}${id}`)).toBe(id);
  for (const after of ['.png?lang=en', '/', '#x', '.png#t=1', '/?lang=en'])
    expect(idInAddress(`${before}${id}${after}`)).toBe(id);
  expect(idInAddress(`https://files.example.net/d/${id}/k-E_y`)).toBe(id);
});

test.each([
  `http://${'a'.repeat(2_000)}/!`,
  `/d/${'a'.repeat(2_000)}!`,
  `${'a'.repeat(1_000)}.${'a'.repeat(1_000)}!`,
])('a long text that is no address is returned at once, as it is: %.12s…', (text) => {
  expect(idInAddress(text)).toBe(text);
});

test('on a pipe it prints JSON alone', async () => {
  const id = await keepFile();
  const command = runCommand(['uploads', 'list'], { DATA_DIR: dataDir }, defer);
  expect(await command.ended).toBe(0);
  expect(JSON.parse(command.output())).toMatchObject([{ id }]);
});
