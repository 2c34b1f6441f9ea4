import { expiryOf, type UploadDescription } from '../../domain/upload.ts';
import { type Usage, usageOfFile } from '../storage.ts';

/** Every process has read a notice long before this. */
const LIFE_MS = 120_000;

export const NOTICE_PREFIX = 'removal.';

/** Informs the processes of a storage which space a removal has released. It is swept two minutes later. */
export interface RemovalNotice {
  usage: Usage;
  /** The process that counted the file when it was received. */
  receiver: string;
  /** Ms since 1970, by the clock of the command. */
  removedAt: number;
}

/** The name of the record of a notice: it has all fields, so that a listing is enough. */
export function noticeName(id: string, description: UploadDescription, removedAt: number): string {
  const { owner, size, uploadedAt } = usageOfFile(id, description);
  const numbers = [removedAt, size, uploadedAt].map((value) => value.toString(36));
  const texts = [owner, description.receiver ?? ''].map((text) => Buffer.from(text).toString('hex'));
  return `${NOTICE_PREFIX}${[id, ...numbers, ...texts].join('.')}`;
}

/** Undefined for the name of anything else. */
export function parseNoticeName(name: string): RemovalNotice | undefined {
  const [id = '', ...fields] = name.slice(NOTICE_PREFIX.length).split('.');
  if (!name.startsWith(NOTICE_PREFIX) || expiryOf(id) === undefined) return undefined;
  const [removedAt = 0, size = 0, uploadedAt = 0] = fields.map((field) => Number.parseInt(field, 36));
  const [owner = '', receiver = ''] = fields.slice(3).map((hex) => Buffer.from(hex, 'hex').toString());
  return { usage: { id, owner, size, uploadedAt }, receiver, removedAt };
}

export function isNoticeOver({ removedAt }: RemovalNotice, now: number): boolean {
  return removedAt + LIFE_MS <= now;
}
