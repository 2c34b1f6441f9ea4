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
  return renderEvents(events, { ...listing, epoch, lastEvent, ledger: {} });
}

function open(options: Parameters<typeof createEventStream>[0] = {}) {
  const stream = createEventStream(options);
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

  test('sends a reset to a client that has missed a thousand events, or names one that is to come', () => {
    const stream = open();
    stream.publish(newsUpTo(1_001));
    expect(String(attach(stream, 0).read())).toMatch(
      /id: (\w+)-1001\nevent: reset\ndata: \{"epoch":"\1","last":1001\}/u,
    );
    expect(String(attach(stream, 5_000).read())).toContain('event: reset');
    expect(String(attach(stream, 1).read())).toMatch(/id: \w+-2\nevent: left\n/u);
  });

  test('sends a reset to a client of another epoch, and to all clients when another one begins', async () => {
    const stream = open();
    stream.publish(newsUpTo(3));
    const reset = /^id: (\w+)-3\nevent: reset\ndata: \{"epoch":"\1","last":3\}\n\n$/mu;
    expect(String(attach(stream, 2, 'e0').read())).toMatch(reset);
    const client = attach(stream, 2, 'e1');
    expect(String(client.read())).toMatch(/id: \w+-3\nevent: left/u);
    stream.publish(newsUpTo(3, 'e2'));
    await nextTurn();
    expect(String(client.read())).toMatch(reset);
    stream.publish(newsUpTo(4, 'e2'));
    await nextTurn();
    expect(String(client.read())).toMatch(/^id: \w+-4\nevent: left/u);
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
