import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runCommand, temporaryFolder } from '../support/service.ts';

const defer = onTestFinished;

async function run(args: string[], environment: Record<string, string> = {}) {
  const command = runCommand(args, { DATA_DIR: await temporaryFolder(defer), ...environment }, defer);
  return { code: await command.ended, output: command.output() };
}

const COMMANDS = ['serve', 'refresh', 'demo', 'doctor', 'capture'];

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
      code: 1,
      output: expect.stringMatching(/^Unknown option '--cepat'\.\nUsage: npm /u),
    });
  });
});

test('a pipe that is closed early ends a command quietly', async () => {
  const start = path.resolve(import.meta.dirname, '../../src/start.js');
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: await temporaryFolder(defer),
    SOURCE_URLS: 'http://127.0.0.1:9',
  };
  const pipe = `"${process.execPath}" "${start}" doctor | head -n 1`;
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', pipe], { env });
  expect(stdout).toBe('Configuration\n');
  expect(stderr).toBe('');
});

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

  test.each(['serve', 'refresh'])('DATA_DIR when %s cannot create it', async (command) => {
    const file = path.join(await temporaryFolder(defer), 'file');
    await writeFile(file, '');
    await expectRefusal(command, `${file}/data`);
  });

  test.runIf(process.platform === 'linux')(
    'DATA_DIR in a file system that has no folders of its own',
    async () => {
      await expectRefusal('serve', '/proc/tayang');
    },
  );

  async function expectRefusal(command: string, dataDir: string): Promise<void> {
    const start = path.resolve(import.meta.dirname, '../../src/start.js');
    const env = {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      SOURCE_URLS: 'http://127.0.0.1:9',
      PORT: '0',
      UPLOAD_PORT: '0',
    };
    const options = { env, timeout: 15_000, killSignal: 'SIGKILL' } as const;
    const failure = await promisify(execFile)(process.execPath, [start, command], options).catch(
      (error) => error,
    );
    expect(failure).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Tayang cannot start: [^\n]*; set DATA_DIR to [^\n]*\.\n$/u),
    });
  }
});
