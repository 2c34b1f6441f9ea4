import { expect } from 'vitest';
import type { ErrorCode } from '../../../src/domain/errors.ts';

/** Matches the AppError of that code whose message says `reason`. */
export function refusal(code: ErrorCode, reason = /./u): Error {
  return expect.objectContaining({ name: 'AppError', code, message: expect.stringMatching(reason) });
}
