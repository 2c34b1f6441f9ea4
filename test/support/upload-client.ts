import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { type Answer, type Sending, send, sendUnread } from './client.ts';
import type { Defer } from './defer.ts';
import { filesIn, heldIn } from './files.ts';
import { openTestService, temporaryFolder } from './service.ts';
import { filePart, MULTIPART, multipart } from './upload-body.ts';

export { type Answer, readAnswer, type Sending, send, sendUnread } from './client.ts';
export { filesIn, heldIn } from './files.ts';
export { openOnce, untilEnd } from './until-end.ts';
export { filePart, MULTIPART, multipart, part } from './upload-body.ts';

export const KB = 1024;
export const MB = 1024 * KB;

/** Opens only the uploads, by default with a rate limit that no test reaches. */
export async function openUploads(defer: Defer, environment: Record<string, string> = {}) {
  const dataDir = environment.DATA_DIR ?? (await temporaryFolder(defer));
  const { uploads, failures } = await openTestService(defer, {
    SERVE: 'uploads',
    UPLOAD_RATE_LIMIT: '10000',
    UPLOAD_CONCURRENCY: '1000',
    ...environment,
    DATA_DIR: dataDir,
  });
  const folder = path.join(dataDir, 'uploads');
  const [kept, held] = [() => filesIn(folder), () => heldIn(folder)];
  return {
    ...{ origin: uploads, dataDir, kept, held, failures },
    send: (sending: Sending) => send(uploads, sending),
    sendUnread: (sending: Sending) => sendUnread(uploads, sending),
    post: (body: Buffer, sending?: Sending) => post(uploads, body, sending),
    upload: (content?: Buffer | string, sending?: UploadSending) => upload(uploads, content, sending),
    openSocket: () => openSocket(uploads),
    /** Waits until there are no files and no open descriptors, because they are removed shortly after an error. */
    async expectNothingLeft(): Promise<void> {
      await expect.poll(held).toEqual([]);
      await expect.poll(kept).toEqual([]);
    },
  };
}

export type TestUploads = Awaited<ReturnType<typeof openUploads>>;

/** Checks a refusal of POST /upload. */
export function expectRefusal(answer: Answer, status: number): void {
  expect(answer.json()).toEqual({ status: false, message: expect.stringMatching(/.{10}/u) });
  expect(answer.status, answer.text).toBe(status);
  expect(answer.headers).toMatchObject({
    'content-type': expect.stringMatching(/^application\/json/u),
    'cache-control': 'no-store',
    'access-control-allow-origin': '*',
    'ratelimit-policy': expect.stringMatching(/^"upload";q=\d+;w=\d+$/u),
    ratelimit: expect.stringMatching(/^"upload";r=\d+;t=\d+$/u),
  });
}

type UploadSending = Sending & { name?: string; type?: string };

/** POST /upload with this body. */
export function post(origin: string, body: Buffer, { headers, ...sending }: Sending = {}): Promise<Answer> {
  const own = { 'Content-Type': MULTIPART, ...headers };
  return send(origin, { method: 'POST', path: '/upload', ...sending, headers: own, body });
}

/** Uploads one file, which must succeed; resolves with the result and the paths of its addresses. */
export async function upload(
  origin: string,
  content: Buffer | string = 'x',
  { name = 'a.txt', type = 'text/plain', ...sending }: UploadSending = {},
) {
  const answer = await post(origin, multipart(filePart(name, content, type)), sending);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  const { result } = answer.json();
  const pathOf = (url: unknown) => new URL(String(url)).pathname;
  const [page, file] = [pathOf(result.url), pathOf(result.url_file)];
  return { result, page, file, deletion: pathOf(answer.headers['x-delete-url']), id: page.slice(1) };
}

/** The head of a POST /upload, for tests that write its body to a socket. */
export function postHead(headers: Record<string, string | number>): string {
  const lines = Object.entries({ Host: 'x', 'Content-Type': MULTIPART, ...headers });
  return `POST /upload HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

/** Opens a connection until the end of the test, and ignores its errors. `received` returns all that it has received. */
export async function openSocket(origin: string): Promise<{ socket: Socket; received(): string }> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (data: string) => {
    text += data;
  });
  await once(socket, 'connect');
  return { socket, received: () => text };
}
