import { Readable } from 'node:stream';
import { AppError, describeError } from '../domain/errors.ts';
import { formatSize } from '../domain/units.ts';
import { type UploadDescription, uploadId } from '../domain/upload.ts';
import { MIN_UPLOAD_RATE } from '../http/uploads/min-upload-rate.ts';
import type { StagedUpload, Storage } from '../uploads/storage.ts';
import { type Check, type Finding, ok, problem, warning } from './check.ts';
import type { DoctorContext } from './context.ts';
import { withoutSecrets } from './format.ts';
import { lifecycleCommand } from './lifecycle.ts';

/** What a doctor that was killed leaves is swept after this. */
const PROBE_LIFE_MS = 60_000;
const RANDOM_BYTES = 16;
const PROBE = Buffer.from('probe');
/** More than two parts: the first has been taken when the third begins. */
const LARGE_BYTES = 11 * 1024 ** 2;
/** Past so many files, what they take is not counted on: a doctor is not kept waiting by a million of them. */
const MAX_COUNTED = 5_000;

export function checkUploadStorage(patient: DoctorContext): Check {
  const { storageUrl } = patient.settings.upload;
  const place = withoutSecrets(storageUrl);
  const failed = (what: string, error: unknown) =>
    problem(`${place} ${what}: ${describeReason(error)}; mend that, or set UPLOAD_STORAGE_URL`);

  return {
    name: 'Upload storage',
    async *find() {
      let storage: Storage;
      try {
        storage = await patient.openStorage();
      } catch (error) {
        yield failed('cannot be opened', error);
        return;
      }
      try {
        await storeProbe(storage, patient);
        yield ok(`${place} opens, and keeps what is put there`);
      } catch (error) {
        yield failed('cannot be written to', error);
      }
      yield await judgeSpace(storage, patient);
      if (!storageUrl.startsWith('s3:')) return;
      try {
        yield await tryParts(storage);
        yield* adviseLifecycle(patient);
      } catch (error) {
        yield failed('cannot take large uploads', error);
      }
    },
  };
}

/** What only a large upload meets. */
async function tryParts(storage: Storage): Promise<Finding> {
  const staged = await storage.stage(Readable.from([Buffer.alloc(LARGE_BYTES)]));
  await staged.discard();
  return ok('it takes large uploads in parts');
}

/** What the operator has to do once. */
function* adviseLifecycle({ settings }: DoctorContext): Generator<Finding> {
  const { storageUrl, ttlMs, maxBytes } = settings.upload;
  const slowestMs = (maxBytes / MIN_UPLOAD_RATE.minBytesPerSecond) * 1_000;
  yield ok('what no process is left to remove, a rule of the bucket does; it replaces the rules there are:');
  yield ok(lifecycleCommand({ storageUrl, ttlMs, slowestMs }));
}

/** What is shown to people is not what the operator needs. */
function describeReason(error: unknown): string {
  return describeError(error instanceof AppError ? (error.cause ?? error) : error);
}

/** The whole life of a small file, so that what an upload will meet is met here. */
async function storeProbe(storage: Storage, { now, randomBytes }: DoctorContext): Promise<void> {
  const expiresAt = now() + PROBE_LIFE_MS;
  const id = uploadId(expiresAt, randomBytes(RANDOM_BYTES));
  const staged = await storage.stage(Readable.from([PROBE]));
  await staged.publish(id, describeProbe(staged, now(), expiresAt));
  const stored = await storage.open(id);
  const bytes = await stored?.read();
  await storage.remove(id);
  if (!Buffer.isBuffer(bytes) || !bytes.equals(PROBE))
    throw new Error('what was stored is not there to be read');
}

function describeProbe(
  { size, sha256 }: StagedUpload,
  uploadedAt: number,
  expiresAt: number,
): UploadDescription {
  return {
    originalname: 'doctor.txt',
    encoding: '7bit',
    mimetype: 'text/plain',
    mediaType: 'text/plain',
    extension: 'txt',
    owner: 'doctor',
    deleteKeyHash: '',
    ...{ size, sha256, uploadedAt, expiresAt },
  };
}

async function judgeSpace(storage: Storage, { settings }: DoctorContext): Promise<Finding> {
  const { quotaBytes, maxBytes } = settings.upload;
  const freeBytes = await storage.freeBytes();
  if (freeBytes === Number.POSITIVE_INFINITY) return ok('free space: as much as there is');
  const free = `${formatSize(freeBytes)} free`;
  const mend = 'make room, lower UPLOAD_QUOTA, or set UPLOAD_STORAGE_URL to a larger place';
  if (freeBytes < maxBytes)
    return problem(`${free}, less than one file of UPLOAD_MAX_SIZE may have: ${mend}`);
  const left = quotaBytes - (await countStored(storage));
  if (freeBytes < left) {
    return warning(`${free}, less than the ${formatSize(left)} that UPLOAD_QUOTA still allows: ${mend}`);
  }
  return ok(`${free}, enough for UPLOAD_QUOTA (${formatSize(quotaBytes)})`);
}

async function countStored(storage: Storage): Promise<number> {
  let bytes = 0;
  let files = 0;
  for await (const { size } of storage.usage()) {
    bytes += size;
    files += 1;
    if (files === MAX_COUNTED) break;
  }
  return bytes;
}
