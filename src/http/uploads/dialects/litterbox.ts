import { AppError } from '../../../domain/errors.ts';
import { parseLifetime } from '../lifetime.ts';
import { type Dialect, fieldValues, fileAddress } from './dialect.ts';

const TIMES = ['1h', '12h', '24h', '72h'];

/** https://litterbox.catbox.moe/tools.php */
export const LITTERBOX: Dialect = {
  service: 'litterbox.catbox.moe',
  paths: ['/resources/internals/api.php'],
  field: 'fileToUpload',
  maxFiles: 1,
  parseLifetime({ fields }) {
    if (fields.reqtype !== 'fileupload')
      throw new AppError('invalid-request', 'reqtype must be given once, as fileupload');
    const times = fieldValues(fields.time);
    if (times.every((time) => TIMES.includes(String(time))) && times.length <= 1) return parseLifetime(times);
    throw new AppError('invalid-request', `time must be given once, as one of ${TIMES.join(', ')}`);
  },
  presentUploads: ([upload], options) => fileAddress(upload!, options),
  presentError: (_status, message) => message,
};
