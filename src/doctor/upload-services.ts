import { driverFor } from '../domain/setting-url.ts';
import { connectRedis } from '../redis/connection.ts';
import { SCANNER_DRIVERS } from '../uploads/scanners/drivers.ts';
import { type Check, redactUrl, tryPlace } from './check.ts';

const TIMEOUT_MS = 3_000;
const WITHOUT_IT = 'does not answer, so uploads get 503';

/** Asks the service that counts uploads for an answer. */
export const checkLimiter: Check = async ({ upload: { limiterUrl } }, show) => {
  const place = redactUrl(limiterUrl);
  if (limiterUrl === 'memory:') {
    const several = 'if several share one storage, set UPLOAD_LIMITER_URL to a Redis';
    return show('ok', `each process counts its own uploads; ${several}`);
  }
  const redis = connectRedis(limiterUrl, { replyTimeoutMs: TIMEOUT_MS });
  await tryPlace(
    place,
    'UPLOAD_LIMITER_URL',
    show,
  )(WITHOUT_IT, async () => {
    await redis.whenReady(TIMEOUT_MS);
    show('ok', `${place} answers`);
  });
  redis.close();
};

/** Asks the malware scanner for an answer. */
export const checkScanner: Check = async ({ upload: { scannerUrl } }, show) => {
  if (!scannerUrl) return show('off', 'no malware scanner (UPLOAD_SCANNER_URL)');
  await tryPlace(
    scannerUrl,
    'UPLOAD_SCANNER_URL',
    show,
  )(WITHOUT_IT, async () => {
    const scanner = await driverFor(scannerUrl, SCANNER_DRIVERS)(scannerUrl, { report: () => {} });
    await scanner.check(AbortSignal.timeout(TIMEOUT_MS));
    show('ok', `${scannerUrl} answers`);
  });
};
