import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { UploadDescription } from '../../src/domain/upload.ts';
import { createUploadId, type UploadId } from '../../src/domain/upload-id.ts';
import type { Chunks, StagedUpload, Storage, Usage } from '../../src/uploads/storage.ts';

export const HOUR_MS = 3_600_000;

export function newId(expiresAt: number): UploadId {
  return createUploadId(expiresAt, randomBytes(16));
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Yields the bytes in chunks, like a socket. */
export function streamOf(bytes: Buffer, pieceBytes = 60_000): Readable {
  return Readable.from(pieces());

  function* pieces() {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  }
}

/** Sends about this many bytes and then stalls or fails. */
export function unfinishedStream(bytes: number, error?: Error): Readable {
  let left = bytes;
  return new Readable({
    read() {
      if (left > 0) this.push(randomBytes(64_000));
      else if (error) this.destroy(error);
      left -= 64_000;
    },
  });
}

export function describeUpload(
  { size, sha256 }: Pick<StagedUpload, 'size' | 'sha256'>,
  more: Partial<UploadDescription> = {},
): UploadDescription {
  return {
    originalname: 'foto.png',
    encoding: '7bit',
    mimetype: 'image/png',
    size,
    sha256,
    mediaType: 'image/png',
    extension: 'png',
    uploadedAt: 1_700_000_000_000,
    expiresAt: 1_700_086_400_000,
    owner: '203.0.113.7',
    address: '203.0.113.7',
    deleteKeyHash: 'f'.repeat(64),
    ...more,
  };
}

/** Stages and publishes an upload; resolves with its id. */
export async function keep(
  storage: Storage,
  bytes: Buffer,
  expiresAt: number,
  more: Partial<UploadDescription> = {},
): Promise<UploadId> {
  const staged = await storage.stage(streamOf(bytes));
  const id = newId(expiresAt);
  await staged.publish(id, describeUpload(staged, { expiresAt, ...more }));
  return id;
}

/** Copies each chunk, because its memory is reused. */
export async function bytesOf(body: Buffer | Chunks): Promise<Buffer> {
  if (Buffer.isBuffer(body)) return body;
  const copies: Buffer[] = [];
  for await (const piece of body) copies.push(Buffer.from(piece));
  return Buffer.concat(copies);
}

export async function usageOf(storage: Storage): Promise<Usage[]> {
  const usage: Usage[] = [];
  for await (const file of storage.usage()) usage.push(file);
  return usage;
}
