const BUSY = 5;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

export function isBusy(error: unknown): boolean {
  return resultCode(error) === BUSY;
}

/** Whether the file itself is damaged, so that another attempt would fail too. */
export function isDamaged(error: unknown): boolean {
  return [CORRUPT, NOT_A_DATABASE].includes(resultCode(error));
}

/** The primary result code of SQLite, which is the lowest byte of an extended one. */
function resultCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
}
