import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { describeWith } from '../support/needs.ts';
import { findFreePort } from '../support/redis.ts';
import { temporaryFolder } from '../support/service.ts';
import { untilEnd } from '../support/until-end.ts';
import { buildImage, type Image } from './build-image.ts';
import { onlyStep, readEnv } from './dockerfile.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const BUILD_MS = 120_000;

/** Only root can run a process as another user. */
const canChangeUser = process.getuid?.() === 0;

describeWith(canChangeUser, 'root')('the image, built step by step without Docker', () => {
  let image: Image;
  const defer = untilEnd();

  beforeAll(async () => {
    const folder = await temporaryFolder(defer);
    await chmod(folder, 0o755);
    image = await buildImage(await readFile(path.join(ROOT, 'Dockerfile'), 'utf8'), ROOT, folder);
  }, BUILD_MS);

  test('contains what the service needs, and nothing for development', async () => {
    const has = (name: string) =>
      stat(path.join(image.workdir, name)).then(
        () => true,
        () => false,
      );
    expect(await has('node_modules/koa')).toBe(true);
    const encode = 'sharp(Buffer.alloc(3), { raw: { width: 1, height: 1, channels: 3 } }).webp().toBuffer()';
    const decode = `import('sharp').then(({ default: sharp }) => ${encode})`;
    await promisify(execFile)(process.execPath, ['--eval', decode], { cwd: image.workdir });
    for (const name of [
      'test',
      '.env',
      'node_modules/vitest',
      'node_modules/typescript',
      'node_modules/node',
    ])
      expect(await has(name), name).toBe(false);
  });

  /** Runs the image until its last server listens; `check` runs its health check. */
  async function run(changes: Record<string, string>) {
    const environment = { ...(await imageEnvironment(image)), ...changes };
    const child = spawnAs(onlyStep(image.steps, 'CMD'), image, environment);
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    child.stderr.pipe(process.stderr);
    for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      output += text;
      if (/metrics and health at/u.test(output)) break;
    }
    child.stdout.resume();
    const healthcheck = onlyStep(image.steps, 'HEALTHCHECK').replace(/^.*? CMD /u, '');
    const check = () => once(spawnAs(healthcheck, image, environment), 'close');
    return { child, check };
  }

  test('runs as nobody on a read-only tree, is healthy, and exits with 0 on SIGTERM', async () => {
    const { child, check } = await run({});
    expect(await check()).toEqual([0, null]);
    const user = onlyStep(image.steps, 'USER').split(':')[0];
    expect(await readFile(`/proc/${child.pid}/status`, 'utf8')).toMatch(
      new RegExp(`^Uid:\\s+${user}\\s`, 'mu'),
    );
    await expect(writeAs(image, 'src/new.js')).rejects.toThrow();

    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(await check()).toEqual([1, null]);
  });

  test.each(['listing', 'uploads', 'refresh'])('is healthy with SERVE=%s', async (SERVE) => {
    const { check } = await run({ SERVE, REFRESH_CRON: '0 0 1 1 *', SOURCE_URLS: 'http://127.0.0.1:9' });
    expect(await check()).toEqual([0, null]);
  });
});

/** The environment of the image, with the paths of this folder and free ports. */
async function imageEnvironment({ root, steps }: Image): Promise<Record<string, string>> {
  const { DATA_DIR = '', ...own } = readEnv(onlyStep(steps, 'ENV'));
  return {
    ...own,
    PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
    REFRESH_CRON: 'off',
    DATA_DIR: path.join(root, DATA_DIR),
    PORT: String(await findFreePort()),
    UPLOAD_PORT: '0',
    METRICS_PORT: own.METRICS_PORT === undefined ? 'off' : String(await findFreePort()),
  };
}

function asUser({ steps }: Image): string[] {
  const [user, group] = onlyStep(steps, 'USER').split(':');
  return [`--reuid=${user}`, `--regid=${group}`, '--clear-groups'];
}

/** Runs a command in exec form as the user of the image, in its WORKDIR. */
function spawnAs(command: string, image: Image, env: Record<string, string>) {
  const argv = JSON.parse(command) as string[];
  return spawn('setpriv', [...asUser(image), ...argv], { cwd: image.workdir, env });
}

function writeAs(image: Image, file: string) {
  return promisify(execFile)('setpriv', [...asUser(image), 'touch', file], { cwd: image.workdir });
}
