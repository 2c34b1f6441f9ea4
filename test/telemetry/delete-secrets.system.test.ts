import { createHash } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { startServe } from '../support/service.ts';
import { send, upload } from '../support/upload-client.ts';

/** Where a client may put the secret of a file. */
const placesOf = (id: string, secret: string) => [
  ...[`/d/${id}/${secret}/`, `/d/${id}/${secret}/more`, `/d//${id}//${secret}`, `//d/${id}/${secret}`],
  ...[`/D/${id}/${secret}`, `/d%2F${id}%2f${secret}`, `/%64/${id}/${secret}`, `/f/${id}/${secret}`],
  ...[`/${id}/${secret}`, `/d/${secret}/${id}`, `/d/${secret}`, `/proxy/d/${id}/${secret}`],
  ...[`/files/${secret}`, `//files%2f${secret}`, `/x?u=/d/${id}/${secret}`, `/d/${id}/${secret}?a=${secret}`],
];

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
    const { deletion, id } = await upload(origin);
    const secret = deletion.split('/').at(-1)!;
    const headers = { Referer: `${origin}${deletion}`, Accept: 'text/html' };
    for (const method of ['GET', 'PUT', 'OPTIONS', 'TRACE', 'DELETE', 'DELETE']) {
      for (const path of [...placesOf(id, secret), `${origin}${deletion}`]) {
        const { headers: answered, text } = await send(origin, { method, path, headers });
        expect(text).not.toContain(secret);
        expect(JSON.stringify(answered)).not.toContain(secret);
      }
    }
    await running.printed(/"method":"DELETE"[^\n]*"status":404/u);
    expect(running.output()).toContain(`/d/${id}/***`);
    expect(running.output()).not.toContain(secret);
  },
);
