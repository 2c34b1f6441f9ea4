import { addAbortSignal, Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { UploadDescription, UploadId } from '../../../src/domain/upload.ts';
import { stageUpload, type UploadWriter } from '../../../src/uploads/storage/staged-upload.ts';
import type { StageOptions } from '../../../src/uploads/storage.ts';
import { describeUpload, newId, sha256, unfinishedStream } from '../../support/uploads.ts';

const NOW = Date.parse('2026-08-15T21:30:00Z');
const FAULT = new Error('no disk');

/** A writer that notes its calls. `faults` names calls that fail. */
function openWriter(faults: ('append' | 'publish')[] = [], more: Partial<UploadWriter> = {}) {
  const calls: string[] = [];
  const note = async (call: 'append' | 'publish' | 'discard', what = '') => {
    calls.push(`${call} ${what}`.trim());
    if (call !== 'discard' && faults.includes(call)) throw FAULT;
  };
  const writer: UploadWriter = {
    append: (chunk) => note('append', String(chunk)),
    publish: (id: string, { originalname }: UploadDescription) => note('publish', `${id} ${originalname}`),
    discard: () => note('discard'),
    ...more,
  };
  return { writer, calls };
}

const buffers = (...texts: string[]) => texts.map((text) => Buffer.from(text));
const stage = (writer: UploadWriter, texts = ['ab', 'c'], options?: StageOptions) =>
  stageUpload(Readable.from(buffers(...texts)), writer, () => NOW, options);

describe('a staged upload', () => {
  test('has the size, the checksum and the first bytes of all chunks', async () => {
    const { writer, calls } = openWriter();
    expect(await stage(writer)).toMatchObject({
      size: 3,
      sha256: sha256(Buffer.from('abc')),
      head: Buffer.from('abc'),
    });
    expect(calls).toEqual(['append ab', 'append c']);
    expect(await stage(writer, [])).toMatchObject({
      size: 0,
      sha256: sha256(Buffer.alloc(0)),
      head: Buffer.alloc(0),
    });
  });

  test('can be made of a buffer, which is one chunk', async () => {
    const { writer, calls } = openWriter();
    const bytes = Buffer.from('abc');
    expect(await stageUpload(bytes, writer, () => NOW)).toMatchObject({
      size: 3,
      sha256: sha256(bytes),
      head: bytes,
    });
    expect(calls).toEqual(['append abc']);
  });

  test('keeps 4,100 bytes at most for the detection of its type', async () => {
    const { head } = await stage(openWriter().writer, ['a'.repeat(4_000), 'b'.repeat(99), 'c', 'd', 'e']);
    expect(String(head)).toBe(`${'a'.repeat(4_000)}${'b'.repeat(99)}c`);
  });

  test('is seen chunk by chunk before it is written, and the next chunk waits for both', async () => {
    const { writer, calls } = openWriter();
    async function* chunks() {
      for (const chunk of buffers('a', 'b')) {
        calls.push(`next ${chunk}`);
        yield chunk;
      }
    }
    const watch = async (chunk: Buffer) => {
      await Promise.resolve();
      calls.push(`watch ${chunk}`);
    };
    await stageUpload(chunks(), writer, () => NOW, { watch });
    expect(calls).toEqual(['next a', 'watch a', 'append a', 'next b', 'watch b', 'append b']);
  });

  test('may have the maximum size, and is refused before the chunk that exceeds it is written', async () => {
    const { writer, calls } = openWriter();
    expect(await stage(writer, ['ab', 'c'], { maxBytes: 3 })).toMatchObject({ size: 3 });
    calls.length = 0;
    await expect(stage(writer, ['ab', 'cd'], { maxBytes: 3 })).rejects.toMatchObject({ code: 'too-large' });
    expect(calls).toEqual(['append ab', 'discard']);
    await expect(stage(writer, ['a'], { maxBytes: 0 })).rejects.toMatchObject({ code: 'too-large' });
  });
});

describe('a failure', () => {
  test('of the stream, the watcher or the writer is thrown, and discards the upload once', async () => {
    const { writer, calls } = openWriter(['append']);
    await expect(stage(writer)).rejects.toBe(FAULT);
    expect(calls).toEqual(['append ab', 'discard']);
    const watched = openWriter();
    await expect(stage(watched.writer, ['a'], { watch: () => Promise.reject(FAULT) })).rejects.toBe(FAULT);
    expect(watched.calls).toEqual(['discard']);
    const cut = openWriter();
    const stream = unfinishedStream(0, FAULT);
    await expect(stageUpload(stream, cut.writer, () => NOW)).rejects.toBe(FAULT);
    expect(cut.calls).toEqual(['discard']);
  });

  test('is translated by the writer if it knows the error', async () => {
    const full = new Error('full');
    const known = openWriter(['append'], { translateError: (error) => (error === FAULT ? full : undefined) });
    await expect(stage(known.writer)).rejects.toBe(full);
    const unknown = openWriter(['append'], { translateError: () => undefined });
    await expect(stage(unknown.writer)).rejects.toBe(FAULT);
  });

  test('of a silent stream that its caller aborts discards the upload', async () => {
    const { writer, calls } = openWriter();
    const caller = new AbortController();
    const stream = addAbortSignal(caller.signal, new Readable({ read() {} }));
    const staging = expect(stageUpload(stream, writer, () => NOW)).rejects.toMatchObject({
      name: 'AbortError',
    });
    caller.abort();
    await staging;
    expect(calls).toEqual(['discard']);
  });

  test('of the writer destroys the stream', async () => {
    const { writer } = openWriter(['append']);
    const stream = new Readable({ read() {} });
    stream.push('ab');
    await expect(stageUpload(stream, writer, () => NOW)).rejects.toBe(FAULT);
    expect(stream.destroyed).toBe(true);
  });
});

describe('a publication', () => {
  const description = describeUpload({ size: 3, sha256: '' }, { originalname: 'a.txt' });

  test('happens once, and cannot be undone by a discard', async () => {
    const { writer, calls } = openWriter();
    const staged = await stage(writer, []);
    const id = newId(NOW + 1);
    await staged.publish(id, description);
    await staged.discard();
    await expect(staged.publish(id, description)).rejects.toThrow(
      'This staged upload has been published or discarded.',
    );
    expect(calls).toEqual([`publish ${id} a.txt`]);
  });

  test('is refused after a discard, which happens once', async () => {
    const { writer, calls } = openWriter();
    const staged = await stage(writer, []);
    await staged.discard();
    await staged.discard();
    await expect(staged.publish(newId(NOW + 1), description)).rejects.toThrow('published or discarded');
    expect(calls).toEqual(['discard']);
  });

  test('is refused when the id has expired, which discards the upload', async () => {
    const { writer, calls } = openWriter();
    const publish = async (id: UploadId) => (await stage(writer, [])).publish(id, description);
    await expect(publish(newId(NOW))).rejects.toMatchObject({
      code: 'expired',
      message: 'this file expired before all of it had arrived',
    });
    expect(calls).toEqual(['discard']);
  });

  test('that fails discards the upload', async () => {
    const { writer, calls } = openWriter(['publish']);
    const staged = await stage(writer, []);
    await expect(staged.publish(newId(NOW + 1), description)).rejects.toBe(FAULT);
    await staged.discard();
    expect(calls).toEqual([expect.stringContaining('publish'), 'discard']);
  });
});
