import { parseLifetime } from '../lifetime.ts';
import { presentUpload } from '../present-upload.ts';
import { type Dialect, fieldValues } from './dialect.ts';

/** The API of this project, which is that of neko.pe at a shorter path. */
export const TAYANG: Dialect = {
  service: 'neko.pe',
  paths: ['/upload', '/api/upload.php'],
  field: 'file',
  maxFiles: 1,
  hasPages: true,
  parseLifetime: ({ fields }) => parseLifetime(fieldValues(fields.expires)),
  presentUploads: ([upload], options) => presentUpload(upload!, options),
  presentError: (_status, message) => ({ status: false, message }),
};
