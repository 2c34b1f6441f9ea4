import { createHash } from 'node:crypto';
import { createUploadId, expiryOf, type UploadId } from '../../domain/upload.ts';

/*
 * The address of a resumable upload holds a secret, with which anyone can continue, read and remove the upload. What is
 * stored is derived from the secret, so that reading the storage does not allow any of that.
 */

const DERIVED_BYTES = 16;

/** The key under which an upload is stored; it carries the same expiry as the secret. */
export function keyOf(secret: UploadId): UploadId {
  return createUploadId(expiryOf(secret), derive('key', secret));
}

/** The secret that deletes the file once the upload is complete. */
export function deleteKeyOf(secret: UploadId): string {
  return derive('delete', secret).toString('base64url');
}

function derive(purpose: string, secret: UploadId): Buffer {
  return createHash('sha256').update(`${purpose} ${secret}`).digest().subarray(0, DERIVED_BYTES);
}
