import { AppError } from '../../../domain/errors.ts';
import { type Dialect, fieldValues } from './dialect.ts';

/** https://tmpfiles.org/api */
export const TMPFILES: Dialect = {
  service: 'tmpfiles.org',
  paths: ['/api/v1/upload'],
  field: 'file',
  maxFiles: 1,
  // Clients put `/dl/` after the host of the page's address.
  bytesPath: '/dl/:id',
  parseLifetime({ fields }) {
    const [seconds = '', ...others] = fieldValues(fields.expire);
    if (seconds === '') return undefined;
    if (others.length === 0 && /^[1-9]\d{0,8}$/u.test(String(seconds))) return Number(seconds) * 1_000;
    throw new AppError('invalid-request', 'expire must be given once, as a whole number of seconds');
  },
  presentUploads: ([upload], { addresses }) => ({
    status: 'success',
    data: { url: addresses.page(upload!.id) },
  }),
  presentError: (_status, message) => ({ status: 'error', message }),
};
