import { expiryOf, type UploadDescription } from '../../domain/upload.ts';
import { type Usage, usageOfFile } from '../storage.ts';

/** How long a notice is kept. Every process has read it long before that. */
const LIFE_MS = 120_000;

export const NOTICE_PREFIX = 'removal.';

/** Tells every process on a storage which space a removal has released. */
export interface RemovalNotice {
  usage: Usage;
  /** The process that counted the file when it was received. */
  receiver: string;
  /** Ms since 1970, by the clock of the command. */
  removedAt: number;
}

/** Returns the name of the record of a notice. It contains all fields, so that a listing is enough to read all notices. */
export function noticeName(id: string, description: UploadDescription, removedAt: number): string {
  const { owner, size, uploadedAt } = usageOfFile(id, description);
  const numbers = `${removedAt.toString(36)}.${size.toString(36)}.${uploadedAt.toString(36)}`;
  return `${NOTICE_PREFIX}${id}.${numbers}.${toHex(owner)}.${toHex(description.receiver ?? '')}`;
}

/** Undefined for the name of anything else. */
export function parseNoticeName(name: string): RemovalNotice | undefined {
  const [id = '', removedAt = '0', size = '0', uploadedAt = '0', owner = '', receiver = ''] = name
    .slice(NOTICE_PREFIX.length)
    .split('.');
  if (!name.startsWith(NOTICE_PREFIX) || expiryOf(id) === undefined) return undefined;
  const usage = {
    id,
    owner: fromHex(owner),
    size: Number.parseInt(size, 36),
    uploadedAt: Number.parseInt(uploadedAt, 36),
  };
  return { usage, receiver: fromHex(receiver), removedAt: Number.parseInt(removedAt, 36) };
}

export function isNoticeOver({ removedAt }: RemovalNotice, now: number): boolean {
  return removedAt + LIFE_MS <= now;
}

function toHex(text: string): string {
  return Buffer.from(text).toString('hex');
}

function fromHex(hex: string): string {
  return Buffer.from(hex, 'hex').toString();
}
