import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { fileHandleMethods } from '../../support/file-handles.ts';
import {
  expectRefusal,
  filePart,
  MULTIPART,
  multipart,
  openOnce,
  openUploads,
} from '../../support/upload-client.ts';

const BODY = multipart(filePart('a.bin', Buffer.alloc(100_000)));

const uploads = openOnce(openUploads);

afterEach(() => uploads.expectNothingLeft());

const postAs = (type: string) => uploads.post(BODY, { headers: { 'Content-Type': type } });

describe('415 is for a body that is not multipart/form-data', () => {
  test.each([
    'application/json',
    'application/octet-stream',
    'application/x-www-form-urlencoded',
    'multipart/mixed; boundary=x',
    'multipart/form-data-2; boundary=x',
    'text/plain; multipart/form-data; boundary=x',
  ])('such as %s, also without a body', async (type) => {
    expectRefusal(await postAs(type), 415);
    const bodiless = { method: 'POST', path: '/upload', headers: { 'Content-Type': type } };
    expectRefusal(await uploads.send(bodiless), 415);
  });

  test('or has no Content-Type', async () => {
    const sending = { method: 'POST', path: '/upload' };
    expectRefusal(await uploads.send(sending), 415);
    expectRefusal(await uploads.send({ ...sending, body: BODY }), 415);
  });
});

describe('400 is for a body without a valid boundary', () => {
  test.each([
    'multipart/form-data',
    'multipart/form-data;',
    'multipart/form-data; charset=utf-8',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
    'multipart/form-data; boundary=another',
    `${MULTIPART}; boundary=another`,
    `multipart/form-data; boundary=${'x'.repeat(71)}`,
  ])('such as %s', async (type) => {
    expectRefusal(await postAs(type), 400);
  });

  test('and for a missing body', async () => {
    const sending = { method: 'POST', path: '/upload', headers: { 'Content-Type': MULTIPART } };
    expectRefusal(await uploads.send(sending), 400);
  });
});

describe('400 is for an invalid expires', () => {
  test.each(['', '0', '0s', '0ms', 'x', '1', '-1h', '1w', '1h1m', '1 hour', 'Infinityh', '1h&expires=2h'])(
    'such as ?expires=%s',
    async (expires) => {
      const path = encodeURI(`/upload?expires=${expires}`);
      expectRefusal(await uploads.post(BODY, { path }), 400);
    },
  );
});

test('an unexpected error is a 500 without its cause', async () => {
  const write = vi.spyOn(await fileHandleMethods(), 'datasync').mockRejectedValue(new Error('a defect'));
  onTestFinished(() => write.mockRestore());
  const answer = await uploads.post(BODY);
  expectRefusal(answer, 500);
  expect(answer.text).not.toContain('defect');
});

test('a browser that accepts HTML gets a refusal as a page', async () => {
  const headers = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'Content-Type': 'text/plain' };
  const { status, headers: answered, text } = await uploads.post(BODY, { headers });
  expect(status).toBe(415);
  expect(answered['content-type']).toBe('text/html; charset=utf-8');
  expect(text).toMatch(/415.*multipart\/form-data|multipart\/form-data.*415/su);
});

test.each(['/nothing/here', '/upload/'])('POST %s is 404', async (path) => {
  const answer = await uploads.post(BODY, { path });
  expect(answer.status).toBe(404);
  expect(answer.json()).toMatchObject({ status: false });
});

test.each(['PUT', 'PATCH'])('%s /upload is 405 with Allow', async (method) => {
  const answer = await uploads.post(BODY, { method });
  expect(answer.status).toBe(405);
  expect(answer.json()).toMatchObject({ status: false });
  expect(answer.headers.allow).toContain('POST');
});
