import { AppError, describeError } from './errors.ts';

/** A copy that is not made, because of what one of its ends is. Nothing was changed. The message is for the operator. */
export class CopyRefusedError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CopyRefusedError';
  }
}

/** An end of a copy, as the command names it. */
export type CopyEnd = 'FROM' | 'TO';

/** Opens or first reads an end of a copy. Throws CopyRefusedError, which names the end, for any failure. */
export async function useEnd<Result>(end: CopyEnd, use: () => Promise<Result>): Promise<Result> {
  try {
    return await use();
  } catch (error) {
    // The message of an AppError is for clients; the operator needs its cause.
    const reason = describeError(error instanceof AppError ? (error.cause ?? error) : error);
    throw new CopyRefusedError(`${end} cannot be used: ${reason}`, { cause: error });
  }
}

/** The result for one kind of data. */
export interface CopyCount {
  kind: string;
  /** How many there are, all of them compared. */
  kept: number;
  /** How many of these were new or had changed. */
  copied: number;
  /** How many were removed, because they are gone where the copy is from. */
  removed: number;
}

/** Called as a copy goes on. */
export type OnCopied = (kind: string, done: number) => void;
