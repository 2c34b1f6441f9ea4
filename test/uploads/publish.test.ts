import { describe, expect, test } from 'vitest';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import { expiryOf, occupiedBytes, type UploadDescription, type UploadId } from '../../src/domain/upload.ts';
import { createPublisher, hashDeleteKey, type PublisherOptions } from '../../src/uploads/publish.ts';
import type { StagedUpload } from '../../src/uploads/storage.ts';

const NOW = Date.parse('2026-08-15T21:30:00Z');
const DETAILS = {
  originalname: 'Foto.PNG',
  encoding: '7bit',
  mimetype: 'image/jpeg',
  owner: 'somebody',
  address: '203.0.113.7',
  expiresAt: NOW + 60_000,
};
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const FAULT = new Error('full');

/** Publishes an upload; `calls` is what happened, in order. */
function openScene(options: Partial<PublisherOptions> = {}, faults: string[] = []) {
  const calls: string[] = [];
  const events: OperationalEvent[] = [];
  const note = async (call: string) => {
    calls.push(call);
    if (faults.some((fault) => call.startsWith(fault))) throw FAULT;
  };
  const published: [string, UploadDescription][] = [];
  const staged: StagedUpload = {
    size: 100,
    sha256: 'ab'.repeat(32),
    head: PNG,
    async publish(id, description) {
      await note('publish');
      published.push([id, description]);
    },
    discard: () => note('discard'),
  };
  const keep = async (id: UploadId, bytes: number, publish: () => Promise<void>) => {
    await note(`keep ${bytes} until ${expiryOf(id)}`);
    await publish();
  };
  const report = (event: OperationalEvent) => {
    calls.push('report');
    events.push(event);
  };
  const publish = createPublisher({ now: () => NOW, report, ...options });
  return { calls, events, published, publish: (key?: string) => publish(staged, keep, DETAILS, key) };
}

const blocking = (sha256: string) => async () => ({ hasSha256: (one: string) => one === sha256 });

describe('a publication', () => {
  test('counts the file, publishes it, and then reports it', async () => {
    const { calls, publish } = openScene();
    const { description } = await publish();
    const bytes = occupiedBytes(description);
    expect(calls).toEqual([`keep ${bytes} until ${NOW + 60_000}`, 'publish', 'report']);
  });

  test('describes the file by its bytes, and by what its sender claims', async () => {
    const { events, published, publish } = openScene();
    const { id, description, deleteKey } = await publish();
    expect(published).toEqual([[id, description]]);
    expect(description).toEqual({
      ...DETAILS,
      size: 100,
      sha256: 'ab'.repeat(32),
      mediaType: 'image/png',
      extension: 'png',
      uploadedAt: NOW,
      deleteKeyHash: hashDeleteKey(deleteKey),
    });
    expect(events).toEqual([
      {
        type: 'upload-received',
        id,
        size: 100,
        mediaType: 'image/png',
        sha256: 'ab'.repeat(32),
        address: '203.0.113.7',
      },
    ]);
  });

  test('creates a delete key of 128 bits, or uses the given one', async () => {
    const { publish } = openScene();
    const [one, other] = [await publish(), await publish()];
    expect(Buffer.from(one.deleteKey, 'base64url')).toHaveLength(16);
    expect(other.deleteKey).not.toBe(one.deleteKey);
    expect(one.id).not.toBe(other.id);
    const given = await publish('key');
    expect(given.deleteKey).toBe('key');
    expect(given.description.deleteKeyHash).toBe('LHDhK3oGRvkiefQnx7OOczTY5Tic_xZ6HcMOc_gmtoM');
  });

  test.each(['keep', 'publish'])('that fails to %s is not reported', async (fault) => {
    const { events, publish } = openScene({}, [fault]);
    await expect(publish()).rejects.toBe(FAULT);
    expect(events).toEqual([]);
  });
});

describe('bytes that are blocked', () => {
  test('are refused before anything else, and reported', async () => {
    const sha256 = 'ab'.repeat(32);
    const { calls, events, publish } = openScene({ blocks: blocking(sha256) });
    await expect(publish()).rejects.toMatchObject({
      code: 'blocked',
      message: 'this file is not accepted here: the operator has blocked its content',
    });
    expect(calls).toEqual(['report']);
    expect(events).toEqual([{ type: 'upload-blocked', by: 'sha256', address: '203.0.113.7', sha256 }]);
  });

  test('do not keep other bytes from being published', async () => {
    const { events, publish } = openScene({ blocks: blocking('cd'.repeat(32)) });
    await publish();
    expect(events).toMatchObject([{ type: 'upload-received' }]);
  });
});
