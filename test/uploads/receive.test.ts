import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import type { Quota } from '../../src/uploads/quota.ts';
import { createReceiver, type ReceiverOptions } from '../../src/uploads/receive.ts';
import type { Scan } from '../../src/uploads/scanner.ts';
import { openQuota } from '../support/quota.ts';
import { openFakeStorage } from '../support/staging.ts';

const NOW = Date.parse('2026-08-15T21:30:00Z');
const EXPIRES = NOW + 60_000;
const SENDER = { owner: 'somebody', address: '::ffff:203.0.113.7' };
const CLAIMS = { originalname: 'a.txt', encoding: '7bit', mimetype: 'text/plain' };
const KB = 1024;
const INFECTED = new Error('malware');

let fake: ReturnType<typeof openFakeStorage>;
let quota: Quota;
let events: OperationalEvent[];

beforeEach(async () => {
  fake = openFakeStorage(() => NOW);
  const { freeBytes } = fake.storage;
  quota = await openQuota({ totalBytes: 1_000 * KB, ownerBytes: 1_000 * KB, freeBytes });
  events = [];
});

const begin = (more: Partial<ReceiverOptions> = {}, ...sizes: number[]) =>
  createReceiver({
    storage: fake.storage,
    quota,
    maxBytes: 10,
    now: () => NOW,
    report: (event) => void events.push(event),
    ...more,
  })(SENDER, ...sizes);

const streamOf = (...texts: string[]) => Readable.from(texts.map((text) => Buffer.from(text)));

/** A scanner whose scans note their calls with those of the storage. */
function openScanner(faults: Partial<Scan> = {}) {
  const scan: Scan = {
    push: async (chunk) => void fake.calls.push(`push ${chunk}`),
    finish: async () => void fake.calls.push('finish'),
    close: () => void fake.calls.push('close'),
    ...faults,
  };
  return { open: async () => scan };
}

describe('an upload', () => {
  test('is staged, and published as what its sender claims', async () => {
    const upload = await begin({}, 3);
    await upload.stage(streamOf('ab', 'c'));
    const { description } = await upload.publish(CLAIMS, EXPIRES);
    await upload.close();
    expect(fake.calls).toEqual(['append ab', 'append c', 'publish a.txt']);
    expect(description).toMatchObject({
      ...CLAIMS,
      size: 3,
      expiresAt: EXPIRES,
      owner: 'somebody',
      address: '203.0.113.7',
    });
    expect(events).toMatchObject([{ type: 'upload-received', address: '203.0.113.7' }]);
    expect(quota.stored()).toEqual({ files: 1, bytes: 4 * KB });
  });

  test('of several files publishes them in the order of their stagings, and discards the others', async () => {
    const upload = await begin();
    await Promise.all(['a', 'b', 'c'].map((text) => upload.stage(streamOf(text))));
    for (const originalname of ['1.txt', '2.txt']) await upload.publish({ ...CLAIMS, originalname }, EXPIRES);
    await upload.close();
    await expect(upload.stage(streamOf('d'))).rejects.toThrow('The request is over.');
    expect(fake.calls).toEqual([
      'append a',
      'append b',
      'append c',
      'publish 1.txt',
      'publish 2.txt',
      'discard',
    ]);
    expect(quota.stored()).toEqual({ files: 2, bytes: 8 * KB });
  });

  test('that is refused while it arrives releases its space at once, and cannot be published', async () => {
    const [upload, other] = [await begin(), await begin()];
    await upload.stage(streamOf('a'));
    await upload.reserve(600 * KB);
    await expect(upload.reserve(1_100 * KB)).rejects.toMatchObject({ code: 'storage-full' });
    await other.reserve(900 * KB);
    await expect(upload.publish(CLAIMS, EXPIRES)).rejects.toMatchObject({ code: 'storage-full' });
  });
});

describe('closing', () => {
  test('discards what was staged, ends its stream, and releases the space', async () => {
    const upload = await begin({}, 3);
    const stream = streamOf('abc');
    await upload.stage(stream);
    await upload.close();
    await upload.close();
    expect(fake.calls).toEqual(['append abc', 'discard']);
    expect(stream.destroyed).toBe(true);
    expect(quota.stored().bytes).toBe(0);
  });

  test('succeeds when the discard fails', async () => {
    fake.onDiscard = () => Promise.reject(new Error('no disk'));
    const upload = await begin();
    await upload.stage(streamOf('a'));
    await upload.close();
    expect(quota.stored().bytes).toBe(0);
  });

  test('waits for a discard that takes a while', async () => {
    let end = () => {};
    fake.onDiscard = () =>
      new Promise((resolve) => {
        end = resolve;
      });
    const upload = await begin();
    await upload.stage(streamOf('a'));
    let isClosed = false;
    const closing = upload.close().then(() => {
      isClosed = true;
    });
    await nextTurn();
    expect(isClosed).toBe(false);
    end();
    await closing;
  });

  test('leaves no timer behind', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;
    const before = timers();
    const upload = await begin();
    await upload.stage(streamOf('a'));
    await upload.close();
    expect(timers()).toBeLessThanOrEqual(before);
  });

  test('after a failed publication discards nothing twice, and releases the space', async () => {
    fake.onPublish = () => Promise.reject(new Error('no disk'));
    const upload = await begin();
    await upload.stage(streamOf('a'));
    await expect(upload.publish(CLAIMS, EXPIRES)).rejects.toThrow('no disk');
    await upload.close();
    expect(fake.calls).toEqual(['append a', 'publish a.txt', 'discard']);
    expect(quota.stored()).toEqual({ files: 0, bytes: 0 });
    expect(events).toEqual([]);
  });
});

describe('a scanner', () => {
  test('sees each chunk before it is staged, and has found nothing before the upload is published', async () => {
    const upload = await begin({ scanner: openScanner() });
    await upload.stage(streamOf('ab', 'c'));
    await upload.publish(CLAIMS, EXPIRES);
    await upload.close();
    expect(fake.calls).toEqual([
      'push ab',
      'append ab',
      'push c',
      'append c',
      'finish',
      'publish a.txt',
      'close',
    ]);
  });

  test('that cannot begin refuses the upload, which releases its space', async () => {
    const down = new Error('down');
    await expect(begin({ scanner: { open: () => Promise.reject(down) } }, 3)).rejects.toBe(down);
    expect(quota.stored().bytes).toBe(0);
  });

  test('that finds something at the end keeps the upload from being published', async () => {
    const upload = await begin({ scanner: openScanner({ finish: () => Promise.reject(INFECTED) }) });
    await expect(upload.stage(streamOf('a'))).rejects.toBe(INFECTED);
    await expect(upload.publish(CLAIMS, EXPIRES)).rejects.toBe(INFECTED);
    await upload.close();
    expect(fake.calls).toEqual(['push a', 'append a', 'discard', 'close']);
  });

  test('that fails on the way ends the staging', async () => {
    const upload = await begin({ scanner: openScanner({ push: () => Promise.reject(INFECTED) }) });
    await expect(upload.stage(streamOf('a'))).rejects.toBe(INFECTED);
    await upload.close();
    expect(fake.calls).toEqual(['discard', 'close']);
  });
});
