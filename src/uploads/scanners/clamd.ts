import { AppError } from '../../domain/errors.ts';
import type { Report } from '../../domain/operational-event.ts';
import { malwareFound, type Scan, type Scanner, scannerDown } from '../scanner.ts';
import { type ClamdAddress, type ClamdConnection, connectClamd } from './clamd-connection.ts';

/** How many scans may run at once: fewer than clamd accepts by default (MaxQueue 100), where others wait without an answer. */
const MAX_SCANS = 90;
const OVERLOADED_RETRY_MS = 2_000;
/** The signature that clamd reports, with AlertExceedsMax, for a file that it has not scanned completely. */
const NOT_SCANNED = /^Heuristics\.Limits\.Exceeded/u;

interface ClamdOptions {
  report: Report;
  maxScans?: number;
}

/** Streams each file to a ClamAV daemon, over a connection of its own (INSTREAM). */
export function openClamdScanner(
  address: ClamdAddress,
  { report, maxScans = MAX_SCANS }: ClamdOptions,
): Scanner {
  let underWay = 0;

  function fail(error: unknown): AppError {
    report({ type: 'upload-scanned', outcome: 'failed', error });
    return scannerDown(error);
  }

  function judge(reply: string): void {
    const [, found] = /^stream: (.+) FOUND$/u.exec(reply) ?? [];
    const isChecked = reply === 'stream: OK' || (found !== undefined && !NOT_SCANNED.test(found));
    if (!isChecked) throw fail(new Error(`clamd has not scanned the file: ${reply}`));
    if (found !== undefined) {
      report({ type: 'upload-scanned', outcome: 'found', signature: found });
      throw malwareFound(found);
    }
    report({ type: 'upload-scanned', outcome: 'clean' });
  }

  function createScan(connection: ClamdConnection): Scan {
    let isOver = false;

    function close(): void {
      if (isOver) return;
      isOver = true;
      underWay -= 1;
      connection.close();
    }

    async function attempt<Result>(step: () => Promise<Result>): Promise<Result> {
      if (isOver) throw new Error('This scan is over.');
      try {
        return await step();
      } catch (error) {
        close();
        throw fail(error);
      }
    }

    return {
      push: (chunk) => attempt(() => connection.write(chunk)),
      async finish() {
        const reply = await attempt(() => connection.end());
        close();
        judge(reply);
      },
      close,
    };
  }

  return {
    async check(signal) {
      const connection = await connectClamd(address, 'PING', signal);
      const reply = await connection.reply().finally(connection.close);
      if (reply !== 'PONG')
        throw new Error(`it replied "${reply}" and not PONG: something else listens there`);
    },
    async open() {
      if (underWay >= maxScans) {
        const message = 'too many files are being checked for malware; try again in a moment';
        throw new AppError('overloaded', message, { retryAfterMs: OVERLOADED_RETRY_MS });
      }
      underWay += 1;
      try {
        return createScan(await connectClamd(address, 'INSTREAM'));
      } catch (error) {
        underWay -= 1;
        throw fail(error);
      }
    },
  };
}
