import { driverFor } from '../domain/driver-url.ts';
import { AppError, describeError } from '../domain/errors.ts';
import { formatSize } from '../domain/units.ts';
import type { Scanner } from '../uploads/scanner.ts';
import { SCANNER_DRIVERS } from '../uploads/scanners/drivers.ts';
import { type Finding, ok, problem, warning } from './check.ts';
import type { DoctorContext } from './context.ts';

/** Split, so that no scanner takes this file for the test file of the European Institute for Computer Antivirus Research. */
const EICAR = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('');
/** No more is sent to find out how large a file the daemon accepts. */
const MAX_PROBE_BYTES = 256 * 1024 ** 2;
const PROBE_TIMEOUT_MS = 5_000;

/** Whether the malware scanner answers, finds what it must find, and accepts files of UPLOAD_MAX_SIZE. */
export async function* checkScanner({ config }: Pick<DoctorContext, 'config'>): AsyncGenerator<Finding> {
  const { scannerUrl, maxBytes } = config.upload;
  if (!scannerUrl) {
    yield ok('files are not checked for malware (UPLOAD_SCANNER_URL)');
    return;
  }
  try {
    const scanner = await driverFor(scannerUrl, SCANNER_DRIVERS)(scannerUrl, { report: () => {} });
    await scanner.check(AbortSignal.timeout(PROBE_TIMEOUT_MS));
    yield ok(`${scannerUrl} answers`);
    yield* scanSamples(scanner, maxBytes);
  } catch (error) {
    const advice = 'uploads are refused meanwhile: start clamd, or set UPLOAD_SCANNER_URL';
    yield problem(`${scannerUrl}: ${describeError(error)}; ${advice}`);
  }
}

async function* scanSamples(scanner: Scanner, maxBytes: number): AsyncGenerator<Finding> {
  if ((await scan(scanner, [Buffer.from(EICAR)]))?.code !== 'malware-found')
    yield warning('it does not find the EICAR test file: update its signatures with freshclam');
  const bytes = Math.min(maxBytes, MAX_PROBE_BYTES);
  const failure = await scan(scanner, zeros(bytes));
  if (!failure) yield ok(`it takes files of ${formatSize(bytes)}`);
  else {
    const advice = 'raise StreamMaxLength, MaxFileSize and MaxScanSize in clamd.conf to UPLOAD_MAX_SIZE';
    yield problem(
      `it does not scan files of ${formatSize(bytes)} (${describeError(failure.cause)}): ${advice}`,
    );
  }
}

/** Resolves with why a file would be refused; undefined when it was found clean. */
async function scan(scanner: Scanner, chunks: Iterable<Buffer>): Promise<AppError | undefined> {
  const { push, finish, close } = await scanner.open();
  try {
    for (const chunk of chunks) await push(chunk);
    await finish();
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error;
  } finally {
    close();
  }
}

function* zeros(bytes: number): Generator<Buffer> {
  const chunk = Buffer.alloc(1024 ** 2);
  for (let left = bytes; left > 0; left -= chunk.length)
    yield chunk.subarray(0, Math.min(left, chunk.length));
}
