/** The metadata stored with the bytes of an upload. Times are in ms since 1970. */
export interface UploadDescription {
  /** As the client sent it, after the decoding that the API documents; pages and headers clean it further. */
  originalname: string;
  encoding: string;
  /** As the client sent it, and not trusted. */
  mimetype: string;
  /** In bytes. */
  size: number;
  /** Lower-case hex. */
  sha256: string;
  /** Detected from the bytes. The file is served with this type. */
  mediaType: string;
  /** The extension in the file's address, without the dot. */
  extension: string;
  uploadedAt: number;
  expiresAt: number;
  /** The key of the quota that the file counts against. */
  owner: string;
  /** The client address that sent the file, for the operator alone. Absent in files of an older version. */
  address?: string;
  /** A hash of the secret in the delete address, so that reading the storage does not allow deletion. */
  deleteKeyHash: string;
}
