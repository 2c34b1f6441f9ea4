import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Config } from '../app/config.ts';
import { driverFor } from '../domain/setting-url.ts';
import { DAY_MS, formatSize } from '../domain/units.ts';
import { createUploadId } from '../domain/upload-id.ts';
import { MIN_RATE } from '../http/server/min-rate.ts';
import { STORAGE_DRIVERS, storageFolder } from '../uploads/storage/drivers.ts';
import { parseS3Url } from '../uploads/storage/s3/address.ts';
import type { Storage } from '../uploads/storage.ts';
import { type Check, redactUrl, type Show, showForeignFolder, tryPlace } from './check.ts';

/** If the doctor is killed, the service sweeps the probe after this time. */
const PROBE_LIFE_MS = 60_000;
const RANDOM_BYTES = 16;
const CHECK_TIMEOUT_MS = 5_000;
const PROBE = Buffer.from('probe');
const SENT = { originalname: 'doctor.txt', mimetype: 'text/plain', owner: 'doctor', address: '' };
/** The check counts at most this many files, to stay fast. */
const MAX_COUNTED = 5_000;

/** Stores and deletes a test file, and looks for free space. */
export const checkUploadStorage: Check = async (config, show) => {
  const { storageUrl } = config.upload;
  const place = redactUrl(storageUrl);
  const attempt = tryPlace(place, 'UPLOAD_STORAGE_URL', show);
  const storage = await driverFor(storageUrl, STORAGE_DRIVERS)(storageUrl);
  await attempt('cannot be used', async () => {
    await checkFreeSpace(storage, config, show);
    await roundTrip(storage);
    await storage.check(AbortSignal.timeout(CHECK_TIMEOUT_MS));
    show('ok', `${place}: a test file could be stored and deleted`);
    const folder = storageFolder(storageUrl);
    if (folder !== undefined) showForeignFolder(folder, show);
  });
  if (storageUrl.startsWith('s3:'))
    show('ok', `set this lifecycle rule, which cleans up while no process runs: ${lifecycleRule(config)}`);
  await storage.close();
};

/** S3 counts whole days from the beginning of an upload and rounds up, so it never removes a file before the sweep does. */
function lifecycleRule({ upload }: Config): string {
  const { storageUrl, ttlMs, resumeTtlMs, maxBytes } = upload;
  const toDays = (ms: number) => Math.max(1, Math.ceil(ms / DAY_MS));
  const maxUploadMs = Math.max((maxBytes / MIN_RATE.bytesPerSecond) * 1_000, resumeTtlMs);
  return JSON.stringify({
    Status: 'Enabled',
    Filter: { Prefix: parseS3Url(storageUrl).prefix },
    Expiration: { Days: toDays(ttlMs + maxUploadMs) },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: toDays(maxUploadMs) },
  });
}

/** Stores, reads and removes a small file, and looks for it before and after. */
async function roundTrip(storage: Storage): Promise<void> {
  const expiresAt = Date.now() + PROBE_LIFE_MS;
  const id = createUploadId(expiresAt, randomBytes(RANDOM_BYTES));
  if (await storage.open(id)) throw new Error('it returns a file that was never stored');
  const staged = await storage.stage(Readable.from([PROBE]));
  const { size, sha256 } = staged;
  const detected = { mediaType: 'text/plain', extension: 'txt', size, sha256 };
  const published = { encoding: '7bit', deleteKeyHash: '', uploadedAt: Date.now(), expiresAt };
  await staged.publish(id, { ...SENT, ...detected, ...published });
  const stored = await storage.open(id);
  const bytes = await stored?.read();
  await storage.remove(id);
  if (!Buffer.isBuffer(bytes) || !bytes.equals(PROBE)) throw new Error('the test file cannot be read back');
  if (await storage.open(id)) throw new Error('the test file is still there after its deletion');
}

async function checkFreeSpace(storage: Storage, { upload }: Config, show: Show): Promise<void> {
  const { quotaBytes, maxBytes } = upload;
  let left = quotaBytes;
  let files = 0;
  for await (const { size } of storage.usage()) {
    left -= size;
    files += 1;
    if (files === MAX_COUNTED) break;
  }
  const { bytes: freeBytes } = await storage.free();
  if (freeBytes === Number.POSITIVE_INFINITY) return show('ok', 'free space: unlimited');
  const free = `${formatSize(freeBytes)} free`;
  const advice = 'make room, lower UPLOAD_QUOTA, or set UPLOAD_STORAGE_URL to a larger place';
  if (freeBytes < maxBytes) show('problem', `${free}, less than one file of UPLOAD_MAX_SIZE: ${advice}`);
  else if (freeBytes < left)
    show('warning', `${free}, less than the ${formatSize(left)} that UPLOAD_QUOTA still allows: ${advice}`);
  else show('ok', `${free}, enough for UPLOAD_QUOTA (${formatSize(quotaBytes)})`);
}
