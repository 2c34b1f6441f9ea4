import { formatSize } from '../../domain/units.ts';
import type { Upload } from '../../publishing/schemas/responses.ts';
import type { FromSchema } from '../../publishing/schemas/schema.ts';
import type { ReceivedUpload } from '../../uploads/publish.ts';
import type { UploadAddresses } from './upload-addresses.ts';

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
