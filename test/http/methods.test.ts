import { beforeAll, describe, expect, test } from 'vitest';
import { openTestService } from '../support/service.ts';
import { untilEnd } from '../support/until-end.ts';
import { send, upload } from '../support/upload-client.ts';
import ALLOWED from './allowed-methods.json' with { type: 'json' };

const defer = untilEnd();
const origins: Record<string, string> = {};
const paths: Record<string, string> = {};

beforeAll(async () => {
  const environment = { REFRESH_CRON: 'off', METRICS_PORT: '0', PUSH_CONTACT: 'mailto:ops@example.org' };
  const service = await openTestService(defer, environment);
  const { listing, uploads, operations } = service;
  Object.assign(origins, { listing, uploads, operations });
  const { page, file, deletion } = await upload(uploads);
  Object.assign(paths, { page, file, deletion });
});

/** Names without a slash stand for the addresses of an upload. */
describe.each(ALLOWED as [string, string, string][])('%s: %s', (origin, where, allowed) => {
  const ask = (method: string) =>
    send(origins[origin]!, { method, path: paths[where] ?? where, headers: { Connection: 'close' } });

  test('answers every other method with 405 and Allow', async () => {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']) {
      if (allowed.split(', ').includes(method)) continue;
      const answer = await ask(method);
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, allowed]);
      expect(answer.headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      });
      if (method !== 'HEAD') expect(answer.json()).toMatchObject({ status: false });
    }
  });

  test('answers OPTIONS with the same Allow', async () => {
    const { status, headers } = await ask('OPTIONS');
    expect([status, headers.allow]).toEqual([204, allowed]);
  });
});
