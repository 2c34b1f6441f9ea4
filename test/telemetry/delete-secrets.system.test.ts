import { createHash } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createUploadId } from '../../src/domain/upload.ts';
import { loggedPath } from '../../src/http/middleware/request-log.ts';
import { startServe } from '../support/service.ts';
import { send, upload } from '../support/upload-client.ts';

const ID = createUploadId(Date.UTC(2100, 0), Buffer.alloc(16, 7));
const SECRET = 'Zk3x_9-QwertyuiopASDFg';

describe('the logged path', () => {
  test.each([
    `/d/${ID}/${SECRET}`,
    `/d/${ID}/${SECRET}/`,
    `/d/${ID}/${SECRET}/more`,
    `/d//${ID}//${SECRET}`,
    `//d/${ID}/${SECRET}`,
    `/D/${ID}/${SECRET}`,
    `/d%2F${ID}%2f${SECRET}`,
    `/%64/${ID}/${SECRET}`,
    `/f/${ID}/${SECRET}`,
    `/${ID}/${SECRET}`,
    `/d/${SECRET}/${ID}`,
    `/d/${SECRET}`,
    `/proxy/d/${ID}/${SECRET}`,
    `/files/${SECRET}`,
    `//files%2f${SECRET}`,
  ])('of %s contains no secret', (path) => {
    expect(loggedPath(path)).not.toContain(SECRET);
    expect(loggedPath(path)).toContain('***');
  });

  test.each(['/', '/upload', `/f/${ID}.png`, `/${ID}`, '/assets/style.css', '/download/it'])(
    'of %s is the path itself',
    (path) => {
      expect(loggedPath(path)).toBe(path);
    },
  );

  test('is truncated', () => {
    expect(loggedPath(`/${'x'.repeat(10_000)}`).length).toBeLessThan(1_100);
  });
});

test('each upload is one line at info, with all that the operator needs to know and no secret', async () => {
  const running = await startServe({ SERVE: 'uploads' }, onTestFinished);
  const { id, deletion } = await upload(running.address, 'isi', { name: 'rahasia.txt' });
  const [line] = await running.printed(/^.*"type":"upload-received".*$/mu);
  const sha256 = createHash('sha256').update('isi').digest('hex');
  expect(JSON.parse(line)).toMatchObject({
    level: 30,
    id,
    size: 3,
    mediaType: 'text/plain; charset=utf-8',
    sha256,
    address: '127.0.0.1',
  });
  expect(running.output().match(/upload-received/gu)).toHaveLength(1);
  expect(running.output()).not.toContain(deletion.split('/').at(-1));
  expect(running.output()).not.toContain('rahasia');
});

test.each(['debug', 'trace'])(
  'no line that is logged at %s contains a secret that deletes a file',
  async (level) => {
    const running = await startServe({ SERVE: 'uploads', LOG_LEVEL: level }, onTestFinished);
    const origin = running.address;
    const { deletion } = await upload(origin);
    const secret = deletion.split('/').at(-1)!;
    const headers = { Referer: `${origin}${deletion}`, Accept: 'text/html' };
    for (const method of ['GET', 'PUT', 'OPTIONS', 'TRACE', 'DELETE', 'DELETE']) {
      for (const path of [
        `${deletion}/`,
        `/x?u=${deletion}`,
        `${deletion}?a=${secret}`,
        `${origin}${deletion}`,
      ]) {
        const { headers: answered, text } = await send(origin, { method, path, headers });
        expect(text).not.toContain(secret);
        expect(JSON.stringify(answered)).not.toContain(secret);
      }
    }
    await running.printed(/"method":"DELETE"[^\n]*"status":404/u);
    expect(running.output()).toContain('/d/');
    expect(running.output()).not.toContain(secret);
  },
);
