import { expect, onTestFinished, test } from 'vitest';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import { createUploadId } from '../../src/domain/upload-id.ts';
import { createLingering } from '../../src/http/server/linger.ts';
import { openServer } from '../../src/http/server.ts';
import { createUploadApp, type UploadAppOptions } from '../../src/http/uploads/app.ts';
import { startServe } from '../support/service.ts';
import { openTestSource } from '../support/source.ts';

test('an error has the request id that a proxy has set', async () => {
  const { address } = await serve();
  const named = await ask(`${address}/nothing`, 'edge-7f.A_1');
  expect(named.headers.get('x-request-id')).toBe('edge-7f.A_1');
});

test.each(['', 'x'.repeat(65), 'two words', '"quoted"', 'a/b'])(
  'an id that is too long or has other characters is replaced: %j',
  async (id) => {
    const { address } = await serve();
    const { headers } = await ask(`${address}/nothing`, id);
    expect(headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/u);
  },
);

test('an unexpected error is reported with the same id that the client gets', async () => {
  const { address, events } = await serve();
  const { status, headers } = await ask(`${address}/f/broken.txt`);
  const id = headers.get('x-request-id');
  expect(status).toBe(500);
  expect(events.filter(({ type }) => type === 'request-failed')).toMatchObject([
    { id, path: '/f/broken.txt' },
  ]);
  expect(events.at(-1)).toMatchObject({ type: 'request-answered', id, status: 500, code: 'internal' });
});

test('an unexpected error is reported without the secret that deletes the file', async () => {
  const { address, events } = await serve();
  const id = createUploadId(Date.UTC(2100, 0), Buffer.alloc(16));
  expect((await ask(`${address}/d/${id}/Zk3x_9-QwertyuiopASDFg`)).status).toBe(500);
  expect(events.map(({ type }) => type)).toEqual(['request-failed', 'request-answered']);
  expect(JSON.stringify(events)).toContain(`/d/${id}/***`);
  expect(JSON.stringify(events)).not.toContain('Zk3x');
});

test('at level debug, each request except those for documents is logged with its id', async () => {
  const source = await openTestSource(onTestFinished);
  const environment = { SERVE: 'listing,refresh', SOURCE_URLS: source.origin, LOG_LEVEL: 'debug' };
  const running = await startServe(environment, onTestFinished);
  await running.printed(/last good listing/u);
  await ask(`${running.address}/api/anime/home`, 'not-logged');
  await ask(`${running.address}/nothing`, 'logged');
  const [line = ''] = await running.printed(/^.*"id":"logged".*$/mu);
  expect(JSON.parse(line)).toMatchObject({
    type: 'request-answered',
    level: 20,
    status: 404,
    path: '/nothing',
  });
  expect(running.output()).not.toContain('not-logged');
});

function ask(url: string, id = ''): Promise<Response> {
  return fetch(url, { headers: { 'X-Request-Id': id } });
}

/** Creates the uploads app with a storage that fails. */
async function serve() {
  const events: OperationalEvent[] = [];
  const find = () => Promise.reject(new Error('the disk is on fire'));
  const findForDeletion = find;
  const options = {
    uploads: { find, findForDeletion },
    documents: { find: () => undefined, headers: () => [] },
    url: 'http://localhost',
    rateLimit: 1,
    trustProxy: null,
    moderation: {},
    tokens: [],
    lingering: createLingering(),
    report: (event: OperationalEvent) => void events.push(event),
  };
  const app = createUploadApp(options as unknown as UploadAppOptions);
  const server = await openServer({ host: '127.0.0.1', port: 0 }, app);
  onTestFinished(() => server.close());
  return { address: server.address, events };
}
