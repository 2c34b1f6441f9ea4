import { AppError } from '../../domain/errors.ts';
import type { Report } from '../../domain/operational-event.ts';
import { createPlaces } from '../places.ts';
import type { Scanner } from '../scanner.ts';
import { type ClamdAddress, connectClamd } from './clamd-connection.ts';

/** clamd works on ten files by default and keeps a hundred waiting, from all processes together (MaxThreads, MaxQueue). */
const PLACES = {
  total: 32,
  perOwner: 4,
  maxWaitMs: 30_000,
  busy: 'too many files are being checked for malware',
};
const RETRY_MS = 30_000;
/** The signature that clamd reports, with AlertExceedsMax, for a file that it has not scanned completely. */
const NOT_SCANNED = /^Heuristics\.Limits\.Exceeded/u;

interface ClamdOptions {
  report: Report;
  /** How long the daemon may take to accept a connection, to read, or to reply. */
  timeoutMs?: number;
}

/** Streams each file to a ClamAV daemon, over a connection of its own (INSTREAM). */
export function openClamdScanner(
  address: ClamdAddress,
  { report, timeoutMs = 30_000 }: ClamdOptions,
): Scanner {
  const inPlace = createPlaces(PLACES);

  function fail(cause: unknown): never {
    report({ type: 'upload-scanned', outcome: 'failed', error: cause });
    const message =
      'the file cannot be checked for malware at the moment, and is not accepted unchecked; try again later';
    throw new AppError('scanner-down', message, { cause, retryAfterMs: RETRY_MS });
  }

  /** The scanner works, and gives up on this file: its sender may have made it so. */
  function refuseUnscannable(limit: string): never {
    report({ type: 'upload-scanned', outcome: 'unscannable', limit });
    throw new AppError(
      'unscannable',
      'the file is too large or too complex to be checked for malware, and is not accepted unchecked',
      { retryAfterMs: RETRY_MS },
    );
  }

  function judge(reply: string): void {
    const [, found] = /^stream: (.+) FOUND$/u.exec(reply) ?? [];
    if (found !== undefined && NOT_SCANNED.test(found)) refuseUnscannable(found);
    if (reply !== 'stream: OK' && found === undefined)
      fail(new Error(`clamd has not scanned the file: ${reply}`));
    if (found !== undefined) {
      report({ type: 'upload-scanned', outcome: 'found', signature: found });
      const message = `the file was refused, because the scanner found malware in it: ${found}`;
      throw new AppError('malware-found', message);
    }
    report({ type: 'upload-scanned', outcome: 'clean' });
  }

  return {
    async check(signal) {
      using connection = connectClamd(address, 'PING', { timeoutMs, signal });
      const reply = await connection.reply;
      if (reply !== 'PONG')
        throw new Error(`it replied "${reply}" and not PONG: something else listens there`);
    },

    scan: (owner, bytes) =>
      inPlace(owner, async () => {
        using connection = connectClamd(address, 'INSTREAM', { timeoutMs });
        for await (const chunk of bytes) await connection.write(chunk).catch(fail);
        judge(await connection.end().catch(fail));
      }),
  };
}
