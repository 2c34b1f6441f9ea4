import { parseLifetime } from '../lifetime.ts';
import { type Dialect, fieldValues, fileAddress } from './dialect.ts';

/** https://git.0x0.st/mia/0x0 */
export const NULL_POINTER: Dialect = {
  service: '0x0.st',
  paths: ['/'],
  field: 'file',
  maxFiles: 1,
  /** A number without a unit is one of hours. A time since 1970, which its servers take too, is refused. */
  parseLifetime({ fields }) {
    const values = fieldValues(fields.expires);
    return parseLifetime(values.map((value) => (/^\d{1,6}$/u.test(String(value)) ? `${value}h` : value)));
  },
  presentUploads: ([upload], options) => fileAddress(upload!, options),
  presentError: (_status, message) => message,
};
