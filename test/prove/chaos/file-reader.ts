import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientLog } from './client-log.ts';
import { ask, type KeptFile, type UploadLedger } from './uploaders.ts';

const PAUSE_MS = 200;
/** A file is read until shortly before its expiry. */
const MARGIN_MS = 5_000;
/** How often a file is requested again at the end, and the wait in between. */
const FINAL_TRIES = 10;
const RETRY_MS = 1_000;

export interface FileFindings {
  reads: number;
  /** Acknowledged files that were answered with 404, 410 or other bytes before their expiry. */
  wrong: string[];
  /** Files that could not be read at the end, without faults. */
  unreadable: string[];
  /** Files that were served after their expiry, and after their deletion. */
  afterExpiry: string[];
  afterDeletion: string[];
}

/** Reads files back again and again, live, expired and deleted ones. */
export function openFileReader({ files, deleted }: UploadLedger, clients: ClientLog, random: () => number) {
  const findings: FileFindings = { reads: 0, wrong: [], unreadable: [], afterExpiry: [], afterDeletion: [] };
  const pick = (from: readonly KeptFile[]) => from[Math.floor(random() * from.length)];
  const isLive = ({ expired }: KeptFile) => expired > Date.now() + MARGIN_MS;

  /** Resolves with whether there was an answer. */
  async function read(file: KeptFile, isGone: 'expired' | 'deleted' | false = false): Promise<boolean> {
    const from = Date.now();
    try {
      const { status, body } = await ask(file.url);
      if (status >= 500) {
        clients.note({ origin: 'uploads', what: 'download', status, from });
        return false;
      }
      findings.reads += 1;
      const sha256 = createHash('sha256').update(body).digest('hex');
      const where = `${file.url} (${file.way}, ${file.bytes} bytes)`;
      if (isGone === 'expired' && status < 400) findings.afterExpiry.push(where);
      else if (isGone === 'deleted' && status < 400) findings.afterDeletion.push(where);
      else if (!isGone && status !== 200)
        findings.wrong.push(`${where}: ${status} at ${new Date(from).toISOString()}`);
      else if (!isGone && sha256 !== file.sha256) findings.wrong.push(`${where}: ${body.length} other bytes`);
      clients.note({ origin: 'uploads', what: 'download', status: 200, from });
      return true;
    } catch (error) {
      clients.note({ origin: 'uploads', what: 'download', error, from });
      return false;
    }
  }

  return {
    findings,
    async run(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        const dice = random();
        const expired = files.filter((file) => file.expired < Date.now());
        const [file, isGone] =
          dice < 0.8
            ? [pick(files.filter(isLive)), false as const]
            : dice < 0.9
              ? [pick(expired), 'expired' as const]
              : [pick(deleted), 'deleted' as const];
        if (file) await read(file, isGone);
        await sleep(PAUSE_MS);
      }
    },
    /** Reads every file once more, after the faults. */
    async readAll(): Promise<void> {
      for (const file of files) {
        // Some expire while the others are read.
        let isRead = !isLive(file);
        for (let tries = 0; tries < FINAL_TRIES && !isRead; tries += 1) {
          if (tries > 0) await sleep(RETRY_MS);
          isRead = await read(file);
        }
        if (!isRead) findings.unreadable.push(file.url);
      }
    },
  };
}
