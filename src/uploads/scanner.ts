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
