import { expect } from 'vitest';
import type { ErrorCode } from '../../../src/domain/errors.ts';

/** Matches an AppError with this code and a message that matches `reason`. */
export function refusal(code: ErrorCode, reason = /./u): Error {
  return expect.objectContaining({ name: 'AppError', code, message: expect.stringMatching(reason) });
}
