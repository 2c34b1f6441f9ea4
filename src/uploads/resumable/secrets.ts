import { createHash } from 'node:crypto';
import { expiryOf, uploadId } from '../../domain/upload.ts';

/*
 * The address of a resumable upload holds a secret, with which anyone can continue, read and remove the upload. What is
 * stored is derived from the secret, so that reading the storage does not allow any of that.
 */

const DERIVED_BYTES = 16;

/** The key under which an upload is stored; it carries the same expiry as the secret. Undefined for a malformed secret. */
export function keyOf(secret: string): string | undefined {
  const expiresAt = expiryOf(secret);
  return expiresAt === undefined ? undefined : uploadId(expiresAt, derive('key', secret));
}

/** The secret that deletes the file once the upload is complete. */
export function deleteKeyOf(secret: string): string {
  return derive('delete', secret).toString('base64url');
}

function derive(purpose: string, secret: string): Buffer {
  return createHash('sha256').update(`${purpose} ${secret}`).digest().subarray(0, DERIVED_BYTES);
}
