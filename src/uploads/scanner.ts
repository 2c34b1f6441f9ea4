import type { DependencyCheck } from '../domain/dependency.ts';
import { AppError } from '../domain/errors.ts';

/** Checks the bytes of one file while they arrive. `close` has to be called in any case. */
export interface Scan {
  /**
   * Passes on the next bytes, which must not be changed afterwards. Resolves when more may come, so that memory does not
   * depend on the size of the file. Rejects with AppError `scanner-down`.
   */
  push(chunk: Buffer): Promise<void>;
  /** Resolves when all bytes were found clean. Rejects with AppError `malware-found` or `scanner-down`. */
  finish(): Promise<void>;
  /** Ends a scan that has not finished. Does nothing when called again. */
  close(): void;
}

export interface Scanner {
  /** Resolves once a scan can begin; rejects with AppError `scanner-down`, or `overloaded` when too many are under way. */
  open(): Promise<Scan>;
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
