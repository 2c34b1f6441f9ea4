import { describeError } from '../domain/errors.ts';
import { driverFor } from '../domain/setting-url.ts';
import { SCANNER_DRIVERS } from '../uploads/scanners/drivers.ts';
import type { Check } from './check.ts';

const TIMEOUT_MS = 5_000;

/** Whether the malware scanner answers. */
export const checkScanner: Check = async ({ upload: { scannerUrl } }, tell) => {
  if (!scannerUrl) return tell('ok', 'files are not checked for malware (UPLOAD_SCANNER_URL)');
  try {
    const scanner = await driverFor(scannerUrl, SCANNER_DRIVERS)(scannerUrl, { report: () => {} });
    await scanner.check(AbortSignal.timeout(TIMEOUT_MS));
    tell('ok', `${scannerUrl} answers`);
  } catch (error) {
    const advice = 'uploads are refused meanwhile: start clamd, or set UPLOAD_SCANNER_URL';
    tell('problem', `${scannerUrl}: ${describeError(error)}; ${advice}`);
  }
};
