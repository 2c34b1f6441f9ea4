import type { Context } from 'koa';
import { invalidRequest } from '../../../domain/errors.ts';
import { presentUpload } from '../present-upload.ts';
import { type Dialect, fieldValues, fileAddress, parseLifetime } from './dialect.ts';

const isText = (query: URLSearchParams) => query.get('output') === 'text';

/** https://github.com/nokonoko/Uguu, and the many clones of pomf, whose words it speaks. */
const UGUU: Dialect = {
  paths: ['/upload', '/upload.php'],
  field: 'files[]',
  maxFiles: 8,
  parseLifetime({ query }) {
    if (['json', 'text'].includes(query.get('output') ?? 'json')) return undefined;
    throw invalidRequest('output must be json or text');
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

/** https://tmpfiles.org/api */
const TMPFILES: Dialect = {
  paths: ['/api/v1/upload'],
  field: 'file',
  // Clients put `/dl/` after the host of the page's address.
  bytesPath: '/dl/:id',
  parseLifetime({ fields }) {
    const [seconds = '', ...others] = fieldValues(fields.expire);
    if (seconds === '') return undefined;
    if (others.length === 0 && /^[1-9]\d{0,8}$/u.test(String(seconds))) return Number(seconds) * 1_000;
    throw invalidRequest('expire must be given once, as a whole number of seconds');
  },
  presentUploads: ([upload], { addresses }) => ({
    status: 'success',
    data: { url: addresses.page(upload!.id) },
  }),
  presentError: (_status, message) => ({ status: 'error', message }),
};

/** The API of this project, which is that of neko.pe at a shorter path. */
const TAYANG: Dialect = {
  paths: ['/upload', '/api/upload.php'],
  field: 'file',
  hasPages: true,
  parseLifetime: ({ fields }) => parseLifetime(fieldValues(fields.expires)),
  presentUploads: ([upload], options) => presentUpload(upload!, options),
  presentError: (_status, message) => ({ status: false, message }),
};

/** The address of the bytes, or the message of an error. */
const AS_TEXT: Pick<Dialect, 'presentUploads' | 'presentError'> = {
  presentUploads: ([upload], options) => fileAddress(upload!, options),
  presentError: (_status, message) => message,
};

/** https://git.0x0.st/mia/0x0 */
const NULL_POINTER: Dialect = {
  paths: ['/'],
  field: 'file',
  /** A number without a unit is one of hours. A time since 1970, which its servers take too, is refused. */
  parseLifetime({ fields }) {
    const values = fieldValues(fields.expires);
    return parseLifetime(values.map((value) => (/^\d{1,6}$/u.test(String(value)) ? `${value}h` : value)));
  },
  ...AS_TEXT,
};

const TIMES = ['1h', '12h', '24h', '72h'];

/** https://litterbox.catbox.moe/tools.php */
const LITTERBOX: Dialect = {
  paths: ['/resources/internals/api.php'],
  field: 'fileToUpload',
  parseLifetime({ fields }) {
    if (fields.reqtype !== 'fileupload') throw invalidRequest('reqtype must be given once, as fileupload');
    const times = fieldValues(fields.time);
    if (times.every((time) => TIMES.includes(String(time))) && times.length <= 1) return parseLifetime(times);
    throw invalidRequest(`time must be given once, as one of ${TIMES.join(', ')}`);
  },
  ...AS_TEXT,
};

/** Two dialects of one path differ in their fields. The first one is spoken until the field of a file is known. */
export const DIALECTS: readonly Dialect[] = [TAYANG, UGUU, LITTERBOX, TMPFILES, NULL_POINTER];

export const DIALECT_PATHS = [...new Set(DIALECTS.flatMap(({ paths }) => paths))];

const dialectsAt = (path: string) => DIALECTS.filter(({ paths }) => paths.includes(path));

/** The dialect of a request to one of `DIALECT_PATHS`; undefined elsewhere. */
export function dialectOf({ path, state }: Context): Dialect | undefined {
  return state.dialect ?? dialectsAt(path)[0];
}

/** The fields in which a request may send files. The field of the first dialect at its path comes first. */
export const fileFieldsOf = ({ path }: Context): string[] => dialectsAt(path).map(({ field }) => field);

/**
 * Decides by the field of its first file which dialect a request speaks. Throws AppError `invalid-request` for a file in
 * another field, and for more files than the dialect allows; `index` counts them from 0.
 */
export function chooseDialect({ path, state }: Context, field: string, index: number): void {
  const choices = index === 0 ? dialectsAt(path) : [state.dialect as Dialect];
  const dialect = choices.find((choice) => choice.field === field);
  const [first = dialect] = choices;
  if (!dialect) {
    const received = field.slice(0, 64);
    throw invalidRequest(`the file must be in the field "${first?.field}", not "${received}"`);
  }
  state.dialect = dialect;
  const { maxFiles = 1 } = dialect;
  if (index < maxFiles) return;
  const number = maxFiles === 1 ? 'exactly one file' : `at most ${maxFiles} files`;
  throw invalidRequest(`send ${number}, in the field "${field}"`);
}

/**
 * The body of an error at one of `DIALECT_PATHS`; undefined elsewhere, and where a browser gets a page. Where a path has a
 * page too, only POST belongs to the dialect.
 */
export function presentDialectError(ctx: Context, message: string): string | object | undefined {
  const dialect = dialectOf(ctx);
  if (!dialect) return undefined;
  const isPost = ctx.method === 'POST';
  if (!isPost && ctx.response.get('Allow').includes('GET')) return undefined;
  if ((!isPost || dialect.hasPages) && ctx.accepts('json', 'html') === 'html') return undefined;
  return dialect.presentError(ctx.status, message, new URLSearchParams(ctx.querystring));
}
