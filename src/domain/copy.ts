/** A copy that is not made, because of what one of its ends is. Nothing was changed. The message is for the operator. */
export class CopyRefusedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CopyRefusedError';
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
