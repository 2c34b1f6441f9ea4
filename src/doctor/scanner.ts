import { describeError } from '../domain/errors.ts';
import { driverFor } from '../domain/setting-url.ts';
import { SCANNER_DRIVERS } from '../uploads/scanners/drivers.ts';
import { type Finding, ok, problem } from './check.ts';
import type { DoctorContext } from './context.ts';

const TIMEOUT_MS = 5_000;

/** Whether the malware scanner answers. */
export async function* checkScanner({ config }: Pick<DoctorContext, 'config'>): AsyncGenerator<Finding> {
  const { scannerUrl } = config.upload;
  if (!scannerUrl) {
    yield ok('files are not checked for malware (UPLOAD_SCANNER_URL)');
    return;
  }
  try {
    const scanner = await driverFor(scannerUrl, SCANNER_DRIVERS)(scannerUrl, { report: () => {} });
    await scanner.check(AbortSignal.timeout(TIMEOUT_MS));
    yield ok(`${scannerUrl} answers`);
  } catch (error) {
    const advice = 'uploads are refused meanwhile: start clamd, or set UPLOAD_SCANNER_URL';
    yield problem(`${scannerUrl}: ${describeError(error)}; ${advice}`);
  }
}
