import { AppError } from '../../../domain/errors.ts';
import { type Dialect, fileAddress } from './dialect.ts';

const isText = (query: URLSearchParams) => query.get('output') === 'text';

/** https://github.com/nokonoko/Uguu, and the many clones of pomf, whose words it speaks. */
export const UGUU: Dialect = {
  service: 'uguu.se',
  paths: ['/upload', '/upload.php'],
  field: 'files[]',
  maxFiles: 8,
  parseLifetime({ query }) {
    if (['json', 'text'].includes(query.get('output') ?? 'json')) return undefined;
    throw new AppError('invalid-request', 'output must be json or text');
  },
  presentUploads(uploads, options, query) {
    if (isText(query)) return uploads.map((upload) => fileAddress(upload, options)).join('\n');
    const files = uploads.map((upload) => {
      const { sha256, originalname, size } = upload.description;
      return { hash: sha256, filename: originalname, url: fileAddress(upload, options), size, dupe: false };
    });
    return { success: true, files };
  },
  presentError: (status, message, query) =>
    isText(query)
      ? `ERROR: (${status}) ${message}`
      : { success: false, errorcode: status, description: message },
};
