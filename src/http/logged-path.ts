import { parseUploadId } from '../domain/upload.ts';

const MAX_LENGTH = 1_024;
const DELETION = /^\/+d(?:\/|%2f)+(?<id>[^/%]*)/iu;
/** Whatever follows an id may be the secret of a delete address, at any path. */
const AFTER_ID = /(?<id>[1-9a-z][0-9a-z]{32,33})(?:\/|%2f).*$/iu;

/** The rest of such a path is the secret of a resumable upload. */
const RESUMABLE = /^\/+files(?:\/|%2f)/iu;

/** Returns a request's path for logs and messages: without the secrets of uploads, and not too long. */
export function loggedPath(path: string): string {
  if (RESUMABLE.test(path)) return '/files/***';
  const id = DELETION.exec(path)?.groups?.id;
  if (id === undefined) return path.slice(0, MAX_LENGTH).replace(AFTER_ID, '$<id>/***');
  return `/d/${parseUploadId(id) === undefined ? '***' : id}/***`;
}
