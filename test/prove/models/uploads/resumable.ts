import { AppError } from '../../../../src/domain/errors.ts';
import type { UploadId } from '../../../../src/domain/upload.ts';
import { BYTELESS_LIFE_MS } from '../../../../src/uploads/resumable-storage.ts';
import { bytesOf, sha256 } from '../../../support/uploads.ts';
import { type ModelProcess, RESUME_TTL_MS, SENDER } from './process.ts';
import type { Step } from './scenario.ts';

const CLAIMS = { originalname: 'data.bin', mimetype: 'application/octet-stream', metadata: '' };
export const LIFETIME_MS = 3 * 3_600_000;
/** A client asks for the offset after each failure. */
const MAX_TRIES = 6;

export interface KnownUpload {
  secret: UploadId;
  bytes: Buffer;
  /** The largest offset that a client was told. */
  told: number;
  createdAt: number;
  /** A client has asked to remove it. */
  mayBeGone: boolean;
  isRemoved: boolean;
}

/** Clients of resumable uploads, which note in `faults` what must not be. */
export function createClients(now: () => number, faults: string[]) {
  /** `before`: what the client had been told when it sent the request. */
  function tell(upload: KnownUpload, offset: number, before: number): void {
    if (offset < before) faults.push(`the offset went back from ${before} to ${offset}`);
    if (offset > upload.bytes.length) faults.push(`the offset ${offset} is beyond the end`);
    upload.told = Math.max(upload.told, offset);
  }

  /** Whether it was not continued, or its file has lived, for as long as it may. */
  function isOver({ told, bytes, createdAt }: KnownUpload): boolean {
    const age = now() - createdAt;
    if (told === 0 && age >= BYTELESS_LIFE_MS) return true;
    return age >= (told === bytes.length ? LIFETIME_MS : RESUME_TTL_MS);
  }

  async function create(process: ModelProcess, bytes: Buffer): Promise<KnownUpload> {
    const createdAt = now();
    const announced = { ...SENDER, ...CLAIMS, length: bytes.length, lifetimeMs: LIFETIME_MS };
    const secret = await process.resumable.create(announced);
    return { secret, bytes, told: 0, createdAt, mayBeGone: false, isRemoved: false };
  }

  async function ask(process: ModelProcess, upload: KnownUpload): Promise<number> {
    const before = upload.told;
    const { offset } = await process.resumable.progress(upload.secret).catch((error: unknown) => {
      const isGone = error instanceof AppError && ['not-found', 'expired'].includes(error.code);
      if (isGone && !upload.mayBeGone && !isOver(upload)) faults.push('an upload is gone');
      throw error;
    });
    if (upload.isRemoved) faults.push('a removed upload is back');
    tell(upload, offset, before);
    return offset;
  }

  async function send(
    process: ModelProcess,
    upload: KnownUpload,
    { share, body }: Extract<Step, { type: 'send' }>,
  ): Promise<void> {
    const { secret, bytes, told } = upload;
    const end = told + Math.ceil(((bytes.length - told) * share) / 1_000);
    tell(upload, await process.send(secret, told, bytes.subarray(told, end), body), told);
    if (body === 'damaged' && end > told) faults.push('bytes with a wrong checksum were accepted');
  }

  async function remove(process: ModelProcess, upload: KnownUpload): Promise<void> {
    upload.mayBeGone = true;
    await process.resumable.remove(upload.secret);
    upload.isRemoved = true;
  }

  /** Goes on until the client has the file, which has to be the one that it has sent. */
  async function finish(process: ModelProcess, upload: KnownUpload): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const offset = await ask(process, upload);
      if (offset === upload.bytes.length) {
        const { id, description } = await process.resumable.result(upload.secret);
        const file = await process.uploads.find(id);
        const isSame = sha256(await bytesOf(await file.read())) === sha256(upload.bytes);
        if (!isSame || description.sha256 !== sha256(upload.bytes)) faults.push('the file has other bytes');
        return;
      }
      const rest = upload.bytes.subarray(offset);
      await process.send(upload.secret, offset, rest, 'plain').catch((error: AppError) => {
        if (error.code === 'storage-full') throw error;
      });
    }
    faults.push('an upload cannot be finished');
  }

  return { create, ask, send, remove, finish };
}
