import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type Answer,
  expectRefusal,
  filePart,
  multipart,
  openOnce,
  openSocket,
  openUploads,
  postHead,
} from '../../support/upload-client.ts';

const BODY = multipart(filePart());

/** `"upload";r=12;t=23` → `{ r: 12, t: 23 }` */
function budgetOf({ headers }: Answer) {
  const [, r, t] = /^"upload";r=(\d+);t=(\d+)$/u.exec(String(headers.ratelimit)) ?? [];
  return { r: Number(r), t: Number(t) };
}

describe('an address', () => {
  const uploads = openOnce((defer) => openUploads(defer, { UPLOAD_RATE_LIMIT: '', UPLOAD_CONCURRENCY: '' }));

  test('may upload 40 times in a minute, valid or not, and the 41st upload gets 429', async () => {
    // No time passes.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    onTestFinished(() => clock.mockRestore());
    const good = () => uploads.post(BODY);
    const bad = () => uploads.post(BODY, { headers: { 'Content-Type': 'text/plain' } });
    const answers: Answer[] = [];
    for (let i = 0; i < 40; i += 1) answers.push(await (i % 2 ? good : bad)());
    expect(answers.map(({ status }) => status)).toEqual(
      Array.from({ length: 40 }, (_, i) => (i % 2 ? 200 : 415)),
    );
    expect(answers.map((answer) => budgetOf(answer).r)).toEqual(Array.from({ length: 40 }, (_, i) => 39 - i));

    for (const answer of [await good(), await bad()]) {
      expectRefusal(answer, 429);
      expect(answer.headers['ratelimit-policy']).toBe('"upload";q=40;w=60');
      const { r, t } = budgetOf(answer);
      expect(r).toBe(0);
      expect(t).toBe(60);
      expect(answer.headers['retry-after']).toBe(String(t));
    }
  });
});

describe('concurrent uploads', () => {
  /** Begins uploads that do not end; resolves when the service has admitted them. */
  async function begin(origin: string, count: number) {
    const sockets = await Promise.all(Array.from({ length: count }, () => openSocket(origin)));
    for (const { socket } of sockets) {
      socket.write(postHead({ 'Content-Length': BODY.length, Expect: '100-continue' }));
    }
    await expect
      .poll(() => sockets.filter(({ received }) => /^HTTP\/1\.1 100 /u.test(received())))
      .toHaveLength(count);
    return sockets;
  }

  test('may be 32 from one address, and another one gets 429 until one of them ends', async () => {
    const uploads = await openUploads(onTestFinished, { UPLOAD_CONCURRENCY: '' });
    const sockets = await begin(uploads.origin, 32);
    const refused = await uploads.post(BODY);
    expectRefusal(refused, 429);
    expect(refused.headers['retry-after']).toMatch(/^[1-9]\d*$/u);

    sockets[0]!.socket.destroy();
    const isLetIn = async () => (await uploads.post(multipart())).status === 400;
    await expect.poll(isLetIn).toBeTruthy();
    sockets[1]!.socket.write(BODY);
    await expect.poll(() => sockets[1]!.received()).toContain('"url_file"');
  });

  test('that are too many do not count in the rate limit', async () => {
    const uploads = await openUploads(onTestFinished, { UPLOAD_CONCURRENCY: '1', UPLOAD_RATE_LIMIT: '3' });
    const [one] = await begin(uploads.origin, 1);
    for (let i = 0; i < 5; i += 1) expectRefusal(await uploads.post(BODY), 429);
    one!.socket.write(BODY);
    await expect.poll(() => one!.received()).toContain('"url_file"');
    expect((await uploads.post(BODY)).status).toBe(200);
    expect((await uploads.post(BODY)).status).toBe(200);
    expectRefusal(await uploads.post(BODY), 429);
  });
});
