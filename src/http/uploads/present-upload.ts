import { formatSize } from '../../domain/units.ts';
import type { Upload } from '../../publishing/schemas/responses.ts';
import type { FromSchema } from '../../publishing/schemas/schema.ts';
import type { ReceivedUpload } from '../../uploads/publish.ts';

export interface PresentUploadOptions {
  /** Public addresses of the file. */
  addresses: UploadAddresses;
  /** `HH:mm:ss DD/MM/YYYY`. */
  formatTime: (ms: number) => string;
}

/** The body of an answer with a file that has been stored. */
export function presentUpload(
  { id, description }: ReceivedUpload,
  { addresses, formatTime }: PresentUploadOptions,
): FromSchema<typeof Upload> {
  const { originalname, encoding, mimetype, size, expiresAt, extension } = description;
  const result = {
    originalname,
    encoding,
    mimetype,
    filesize: formatSize(size),
    expired: expiresAt,
    expiredFmt: formatTime(expiresAt),
    url: addresses.page(id),
    url_file: addresses.file(id, extension),
  };
  return { status: true, result };
}

type UploadAddresses = ReturnType<typeof uploadAddresses>;

/** The public addresses of an upload. They are made from the configuration, never from the Host of a request. */
export function uploadAddresses(origin: string) {
  return {
    page: (id: string) => `${origin}/${id}`,
    file: (id: string, extension: string) => `${origin}/f/${id}${extension && `.${extension}`}`,
    deletion: (id: string, key: string) => `${origin}/d/${id}/${key}`,
    /** The path of the form that reports the file, on the origin of its page. */
    report: (id: string) => `/r/${id}`,
    /** The address of a resumable upload, which its secret is a part of. */
    resumable: (secret: string) => `${origin}/files/${secret}`,
  };
}
