import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AnimeEvent } from '../../src/domain/event.ts';
import { createEventStream } from '../../src/http/listing/event-stream.ts';
import { renderEvents } from '../../src/publishing/events.ts';

function eventOf(number: number): AnimeEvent {
  return { number, at: 0, type: 'left', slug: `anime-${number}`, title: 'x'.repeat(1_000) };
}

function newsUpTo(lastEvent: number, epoch = 'e1') {
  const events = Array.from({ length: lastEvent }, (_, index) => eventOf(index + 1));
  const listing = { schedule: [], ongoing: [], scheduleChangedAt: 0, ongoingChangedAt: 0 };
  return renderEvents(
    events,
    { ...listing, epoch, lastEvent, ledger: {} },
    { url: 'https://tayang.example' },
  );
}

function open(options: Partial<Parameters<typeof createEventStream>[0]> = {}) {
  const stream = createEventStream({ readStore: async () => true, ...options });
  onTestFinished(() => stream.close());
  stream.publish(newsUpTo(0));
  return stream;
}

/** Attaches a client that reads only when the test does. */
function attach(stream: ReturnType<typeof open>, since?: number, epoch?: string) {
  const socket = new PassThrough();
  Object.assign(socket, { destroySoon: () => socket.end() });
  stream.attach(
    { req: { method: 'GET', socket } } as unknown as ServerResponse,
    since === undefined ? undefined : { epoch, number: since },
  );
  return socket;
}

/** Lets all slices be sent. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
}

/** Takes the thread for so many ms, as a slow write does. */
function busyFor(ms: number): true {
  const end = performance.now() + ms;
  while (performance.now() < end);
  return true;
}

describe('an event stream', () => {
  test('sends ten thousand clients the same bytes, and serves requests in between', async () => {
    const stream = open();
    const sent: Uint8Array[] = [];
    const clients = Array.from({ length: 10_000 }, () => attach(stream).resume());
    for (const client of clients) client.write = (bytes: Uint8Array) => sent.push(bytes) > 0;
    const news = newsUpTo(1);
    // Each write takes longer than a slice.
    for (const client of clients.slice(0, 2))
      client.write = (bytes: Uint8Array) => busyFor(5) && sent.push(bytes) > 0;
    stream.publish(news);
    await nextTurn();
    expect(sent).toHaveLength(1);
    await expect.poll(() => sent.length).toBe(clients.length);
    expect(new Set(sent.map(({ buffer }) => buffer))).toEqual(new Set([news.frames.buffer]));
    expect(stream.clients).toBe(clients.length);
  });

  test('drops a client that does not read, and keeps the others', async () => {
    const stream = open();
    const slow = attach(stream);
    const fast = attach(stream).resume();
    for (let last = 20; last <= 600; last += 20) {
      stream.publish(newsUpTo(last));
      await nextTurn();
    }
    expect(slow.destroyed).toBe(true);
    expect(slow.writableLength + slow.readableLength).toBeLessThan(512 * 1_024);
    expect(fast.destroyed).toBe(false);
    expect(stream.clients).toBe(1);
  });

  test('drops a client that has not read for a heartbeat', async () => {
    const stream = open({ heartbeatMs: 20 });
    stream.publish(newsUpTo(100));
    const slow = attach(stream, 0);
    await expect.poll(() => slow.destroyed).toBe(true);
  });

  test('sends heartbeats', async () => {
    const client = attach(open({ heartbeatMs: 20 }));
    let text = '';
    client.on('data', (chunk) => {
      text += chunk;
    });
    await expect.poll(() => text).toMatch(/\n\n:\n\n:\n\n/u);
  });

  test('refuses clients beyond its limit', () => {
    const stream = open({ maxClients: 2 });
    attach(stream);
    const second = attach(stream);
    expect(() => attach(stream)).toThrow(/too many/u);
    second.emit('close');
    attach(stream);
    expect(stream.clients).toBe(2);
  });

  test('sends a reset to a client that has missed a thousand events, or names one that is to come', async () => {
    const stream = open();
    stream.publish(newsUpTo(1_001));
    expect(String(attach(stream, 0).read())).toMatch(
      /id: (\w+)-1001\nevent: reset\ndata: \{"epoch":"\1","last":1001\}/u,
    );
    const ahead = attach(stream, 5_000);
    await turns();
    expect(String(ahead.read())).toContain('event: reset');
    expect(String(attach(stream, 1).read())).toMatch(/id: \w+-2\nevent: left\n/u);
  });

  test('sends a reset to a client of another epoch, and to all clients when another one begins', async () => {
    const stream = open();
    stream.publish(newsUpTo(3));
    const reset = /^id: (\w+)-3\nevent: reset\ndata: \{"epoch":"\1","last":3\}\n\n$/mu;
    const other = attach(stream, 2, 'e0');
    await turns();
    expect(String(other.read())).toMatch(reset);
    const client = attach(stream, 2, 'e1');
    expect(String(client.read())).toMatch(/id: \w+-3\nevent: left/u);
    stream.publish(newsUpTo(3, 'e2'));
    await turns();
    expect(String(client.read())).toMatch(reset);
    stream.publish(newsUpTo(4, 'e2'));
    await turns();
    expect(String(client.read())).toMatch(/^id: \w+-4\nevent: left/u);
  });

  test('sends nothing to a client that knows more, until it has caught up or the store was read', async () => {
    const readings: PromiseWithResolvers<boolean>[] = [];
    const readStore = () => {
      readings.push(Promise.withResolvers());
      return readings.at(-1)!.promise;
    };
    const stream = open({ readStore });
    stream.publish(newsUpTo(3));
    const [ahead, farAhead] = [attach(stream, 5), attach(stream, 9)];
    await turns();
    expect(String(ahead.read())).toMatch(/\r\n\r\nretry: 5000\n\n$/u);
    // The store did not answer.
    readings[0]!.resolve(false);
    await turns();
    stream.publish(newsUpTo(4));
    await turns();
    expect([ahead.read(), stream.clients]).toEqual([null, 2]);
    stream.publish(newsUpTo(6));
    await turns();
    expect(String(ahead.read())).toMatch(/^id: \w+-6\nevent: left\n/u);
    // A client that came after a reading began is not judged by it.
    const late = attach(stream, 8);
    await turns();
    readings[1]!.resolve(true);
    await turns();
    expect(String(farAhead.read())).toContain('event: reset');
    expect(String(late.read())).not.toContain('reset');
    readings[2]!.resolve(true);
    await turns();
    expect(String(late.read())).toMatch(/id: \w+-6\nevent: reset/u);
    expect(readings).toHaveLength(3);
    stream.publish(newsUpTo(7));
    await turns();
    for (const client of [ahead, farAhead, late])
      expect(String(client.read())).toMatch(/^id: \w+-7\nevent: left\n/u);
  });

  test('sends no reset to its clients before the store was read, where a log is shorter than the one before', async () => {
    const reading = Promise.withResolvers<boolean>();
    const stream = open({ readStore: () => reading.promise });
    stream.publish(newsUpTo(6));
    const client = attach(stream);
    client.read();
    // As from a thread that was restarted while a store was being filled again.
    stream.publish(newsUpTo(4));
    stream.publish(newsUpTo(7));
    await turns();
    expect(String(client.read())).toMatch(/^id: \w+-7\nevent: left\n/u);
    stream.publish(newsUpTo(5));
    reading.resolve(true);
    await turns();
    expect(String(client.read())).toMatch(/^id: \w+-5\nevent: reset\n/u);
  });

  test('ends at once when it is closed, also for a client that does not read', () => {
    const stream = open();
    stream.publish(newsUpTo(100));
    const [slow, fast] = [attach(stream, 0), attach(stream).resume()];
    stream.close();
    expect([slow.destroyed, fast.writableEnded]).toEqual([true, true]);
    expect(stream.clients).toBe(0);
    expect(attach(stream)).toMatchObject({ writableEnded: true });
  });
});
