import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openHttpServer } from '../support/http-server.ts';
import { runCommand, START, temporaryFolder } from '../support/service.ts';

const defer = onTestFinished;

async function run(args: string[], environment: Record<string, string> = {}) {
  const command = runCommand(args, { DATA_DIR: await temporaryFolder(defer), ...environment }, defer);
  return { code: await command.ended, output: command.output() };
}

const COMMANDS = ['serve', 'refresh', 'demo', 'doctor', 'uploads'];

describe('the command line', () => {
  test.each(COMMANDS)('of %s is described by --help', async (command) => {
    expect(await run([command, '--help'])).toEqual({
      code: 0,
      output: expect.stringMatching(/^Usage: npm /u),
    });
  });

  test('without a command lists them all for --help', async () => {
    const { code, output } = await run(['--help']);
    expect(code).toBe(0);
    for (const command of COMMANDS) expect(output).toContain(`${command}: `);
  });

  test.each([['--version'], ['refresh', '--version']])('%s prints the version', async (...args) => {
    expect(await run(args)).toEqual({ code: 0, output: expect.stringMatching(/^\d+\.\d+\.\d+\n$/u) });
  });

  test.each(COMMANDS)('of %s with an unknown option is refused with the usage', async (command) => {
    expect(await run([command, '--cepat'])).toEqual({
      code: 2,
      output: expect.stringMatching(/^Unknown option '--cepat'\.\nUsage: npm /u),
    });
  });

  test.each([
    [['refesh'], 'There is no command "refesh". Did you mean refresh? The commands are serve, refresh, '],
    [['--verison'], 'There is no command "--verison". Did you mean --version? '],
    [['refresh', '--froce'], "Unknown option '--froce'. Did you mean --force?\n"],
    [['refresh', 'force'], "Unexpected argument 'force'. Did you mean --force?\n"],
    [['uploads', 'lsit'], 'There is no action "lsit". Did you mean list? '],
  ])('with a typo, as %j, says what was probably meant', async (args, message) => {
    const { code, output } = await run(args);
    expect([code, output.slice(0, message.length)]).toEqual([2, message]);
  });
});

test.each([
  ['doctor', 'Configuration\n'],
  ['refresh', 'reading ORIGIN\n'],
])('a pipe that is closed early ends %s quietly', async (command, firstLine) => {
  // The pipe is closed by the time that a source that never answers has failed.
  const origin = await openHttpServer(defer, () => {});
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: await temporaryFolder(defer),
    SOURCE_URLS: origin,
    SOURCE_TIMEOUT: '2s',
  };
  const pipe = `"${process.execPath}" "${START}" ${command} | head -n 1`;
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', pipe], { env });
  expect(stdout).toBe(firstLine.replace('ORIGIN', origin));
  expect(stderr).toBe('');
});

test
  .runIf(process.getuid?.() === 0)
  .each([['refresh'], ['doctor'], ['uploads', 'list'], ['uploads', 'block', 'address:203.0.113.7']])(
  '%s %s for somebody who may not read the data says that its owner may',
  async (...args) => {
    const folder = await temporaryFolder(defer);
    await mkdir(path.join(folder, 'uploads'));
    const env = { PATH: process.env.PATH, DATA_DIR: folder, SOURCE_URLS: 'http://127.0.0.1:9' };
    const run = promisify(execFile)(process.execPath, [START, ...args], { env, cwd: '/', uid: 65_534 });
    const { code, stdout, stderr } = await run.catch((error) => error);
    expect(code).toBe(1);
    expect(stdout + stderr).toMatch(/EACCES.*run this as (?:its|the) owner/u);
  },
);

describe('a service that cannot start names the variable to change:', () => {
  test.each(['PORT', 'UPLOAD_PORT', 'METRICS_PORT'])('%s when the port is in use', async (variable) => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    defer(() => {
      holder.close();
    });
    const address = holder.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const { code, output } = await run(['serve'], {
      SOURCE_URLS: 'http://127.0.0.1:9',
      LOG_LEVEL: 'silent',
      [variable]: port,
    });
    expect(code).toBe(1);
    expect(output).toContain(`Port ${port} is in use; stop the program that uses it, or set ${variable}.`);
  });

  test.each(['serve', 'refresh', 'demo'])('DATA_DIR when %s cannot create it', async (command) => {
    const file = path.join(await temporaryFolder(defer), 'file');
    await writeFile(file, '');
    await expectRefusal(command, `${file}/data`);
  });

  test.runIf(process.platform === 'linux')(
    'DATA_DIR in a file system that has no folders of its own',
    async () => {
      await expectRefusal('serve', '/proc/tayang');
      const doctor = await failing(['doctor'], { DATA_DIR: '/proc/tayang' });
      expect(doctor).toMatchObject({ code: 1, stdout: expect.stringMatching(/Store\n.*set DATA_DIR to/u) });
    },
  );

  test('HOST when it is no address of this machine', async () => {
    const { code, output } = await run(['serve'], { LOG_LEVEL: 'silent', HOST: '192.0.2.7' });
    expect(code).toBe(1);
    expect(output).toMatch(/192\.0\.2\.7.*set HOST/u);
  });

  test('.env when it is not a file', async () => {
    const folder = await temporaryFolder(defer);
    await mkdir(path.join(folder, '.env'));
    const failure = await failing(['serve'], { DATA_DIR: folder }, folder);
    expect(failure).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The file \.env cannot be read: /u),
    });
  });

  test.each(['utf8', 'utf16le'] as const)('HOST of a .env that Windows wrote in %s', async (encoding) => {
    const folder = await temporaryFolder(defer);
    await writeFile(path.join(folder, '.env'), '\ufeffHOST=192.0.2.7\r\nLOG_LEVEL=silent\r\n', encoding);
    const failure = await failing(['serve'], { DATA_DIR: folder }, folder);
    expect(failure).toMatchObject({ code: 1, stderr: expect.stringMatching(/192\.0\.2\.7.*set HOST/u) });
  });

  /** Runs a command in a process of its own that is to end with an error; one that hangs ends with a signal. */
  async function failing(args: string[], environment: Record<string, string>, cwd?: string) {
    const fixed = { PATH: process.env.PATH, SOURCE_URLS: 'http://127.0.0.1:9', PORT: '0', UPLOAD_PORT: '0' };
    const options = {
      env: { ...fixed, ...environment },
      cwd,
      timeout: 30_000,
      killSignal: 'SIGKILL',
    } as const;
    return promisify(execFile)(process.execPath, [START, ...args], options).catch((error) => error);
  }

  async function expectRefusal(command: string, dataDir: string): Promise<void> {
    expect(await failing([command], { DATA_DIR: dataDir })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Tayang cannot start: [^\n]*; set DATA_DIR to [^\n]*\.\n$/u),
    });
  }
});
