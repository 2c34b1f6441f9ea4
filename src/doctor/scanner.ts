import { describeError } from '../domain/errors.ts';
import { formatSize } from '../domain/units.ts';
import { askClamd, parseClamdUrl, scanBytes } from '../uploads/scanners/clamd-connection.ts';
import { type Finding, ok, problem, warning } from './check.ts';
import type { DoctorContext } from './context.ts';

/** Split, so that no scanner takes this file for the test file of the European Institute for Computer Antivirus Research. */
const EICAR = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('');
/** No more is sent to find out how large a file the daemon accepts. */
const MAX_PROBE_BYTES = 256 * 1024 ** 2;

/** Whether the malware scanner answers, finds what it must find, and accepts files of UPLOAD_MAX_SIZE. */
export async function* checkScanner({ config }: Pick<DoctorContext, 'config'>): AsyncGenerator<Finding> {
  const { scannerUrl, maxBytes } = config.upload;
  if (!scannerUrl) {
    yield ok('files are not checked for malware (UPLOAD_SCANNER_URL)');
    return;
  }
  try {
    yield* checkClamd(scannerUrl, maxBytes);
  } catch (error) {
    const advice = 'uploads are refused meanwhile: start clamd, or set UPLOAD_SCANNER_URL';
    yield problem(`${scannerUrl}: ${describeError(error)}; ${advice}`);
  }
}

async function* checkClamd(url: string, maxBytes: number): AsyncGenerator<Finding> {
  const address = parseClamdUrl(url);
  const reply = await askClamd(address, 'PING');
  if (reply !== 'PONG') throw new Error(`it replied "${reply}" and not PONG: something else listens there`);
  yield ok(`${url} answers: ${await askClamd(address, 'VERSION')}`);
  const found = await scanBytes(address, [Buffer.from(EICAR)]);
  if (!found.endsWith(' FOUND'))
    yield warning(`it does not find the EICAR test file ("${found}"): update its signatures with freshclam`);
  const bytes = Math.min(maxBytes, MAX_PROBE_BYTES);
  const large = await scanBytes(address, zeros(bytes)).catch(describeError);
  if (large === 'stream: OK') yield ok(`it takes files of ${formatSize(bytes)}`);
  else {
    const advice = 'raise StreamMaxLength, MaxFileSize and MaxScanSize in clamd.conf to UPLOAD_MAX_SIZE';
    yield problem(`it does not scan files of ${formatSize(bytes)} (${large}): ${advice}`);
  }
}

function* zeros(bytes: number): Generator<Buffer> {
  const chunk = Buffer.alloc(1024 ** 2);
  for (let left = bytes; left > 0; left -= chunk.length)
    yield chunk.subarray(0, Math.min(left, chunk.length));
}
