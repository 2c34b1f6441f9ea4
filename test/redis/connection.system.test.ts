import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithRedis, findFreePort, openTestRedis } from '../support/redis.ts';
import { runScript } from '../support/run-script.ts';
import { temporaryFolder } from '../support/service.ts';

describeWithRedis('a connection to Redis', () => {
  test('is encrypted with rediss://', async () => {
    const folder = await temporaryFolder(onTestFinished);
    const [key, certificate] = [path.join(folder, 'key.pem'), path.join(folder, 'certificate.pem')];
    execFileSync(
      'openssl',
      [
        ...'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1'.split(' '),
        ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'],
        ...['-keyout', key, '-out', certificate],
      ],
      { stdio: 'ignore' },
    );
    const port = await findFreePort();
    await openTestRedis(onTestFinished, [
      ...['--tls-port', String(port), '--tls-cert-file', certificate, '--tls-key-file', key],
      ...['--tls-auth-clients', 'no'],
    ]);
    const code = `import { connectRedis } from 'src/redis/connection.ts';
      const redis = connectRedis('rediss://localhost:${port}', { replyTimeoutMs: 1_000 });
      console.log(await redis.whenReady(1_000).then(() => redis.client().ping(), String));
      redis.close();`;
    const trusting = runScript(code, [], onTestFinished, { NODE_EXTRA_CA_CERTS: certificate });
    const doubting = runScript(code, [], onTestFinished);
    expect(await trusting.output).toBe('PONG\n');
    expect(await doubting.output).toContain('self-signed certificate');
  });
});
