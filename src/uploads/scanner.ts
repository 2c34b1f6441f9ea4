import { AppError } from '../domain/errors.ts';
import type { DependencyCheck } from '../domain/health.ts';
import type { Chunks } from './storage.ts';

export interface Scanner {
  /**
   * Checks a file that has been stored. Resolves when it was found clean; rejects with AppError `malware-found`,
   * `scanner-down`, `overloaded` when the owner's files have had no place for too long, or with the error of the bytes.
   */
  scan(owner: string, bytes: Chunks): Promise<void>;
  /** Rejects when the scanner does not answer. */
  check: DependencyCheck;
}

const RETRY_MS = 30_000;

/** AppError `scanner-down`. The cause is for the operator. */
export function scannerDown(cause: unknown): AppError {
  const message =
    'the file cannot be checked for malware at the moment, and is not accepted unchecked; try again later';
  return new AppError('scanner-down', message, { cause, retryAfterMs: RETRY_MS });
}

/** AppError `malware-found`. */
export function malwareFound(signature: string): AppError {
  const message = `the file was refused, because the scanner found malware in it: ${signature}`;
  return new AppError('malware-found', message);
}
