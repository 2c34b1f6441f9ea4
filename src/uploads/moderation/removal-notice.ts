import { parseUploadId, type UploadId } from '../../domain/upload.ts';

/** How long a notice is kept. Every process has read it long before that. */
const LIFE_MS = 120_000;

export const NOTICE_PREFIX = 'removal.';

/** Tells every process on a storage that the operator has removed a file, whose space is free now. */
interface RemovalNotice {
  /** Of the file. */
  id: UploadId;
  /** Ms since 1970, by the clock of the command. */
  removedAt: number;
}

/** Returns the name of the record of a notice. It contains all fields, so that a listing is enough to read all notices. */
export function noticeName({ id, removedAt }: RemovalNotice): string {
  return `${NOTICE_PREFIX}${id}.${removedAt.toString(36)}`;
}

/** Undefined for the name of anything else. */
export function parseNoticeName(name: string): RemovalNotice | undefined {
  const [text = '', removedAt = ''] = name.slice(NOTICE_PREFIX.length).split('.');
  const id = parseUploadId(text);
  if (!name.startsWith(NOTICE_PREFIX) || id === undefined) return undefined;
  return { id, removedAt: Number.parseInt(removedAt, 36) };
}

/** Also true of a notice without a time. */
export function isNoticeOver({ removedAt }: RemovalNotice, now: number): boolean {
  return !(removedAt + LIFE_MS > now);
}
