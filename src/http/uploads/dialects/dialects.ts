import type { Context } from 'koa';
import { AppError } from '../../../domain/errors.ts';
import type { Dialect, DialectBody } from './dialect.ts';
import { LITTERBOX } from './litterbox.ts';
import { NULL_POINTER } from './null-pointer.ts';
import { TAYANG } from './tayang.ts';
import { TMPFILES } from './tmpfiles.ts';
import { UGUU } from './uguu.ts';

/** Two dialects of one path differ in their fields. The first one is spoken until the field of a file is known. */
export const DIALECTS: readonly Dialect[] = [TAYANG, UGUU, LITTERBOX, TMPFILES, NULL_POINTER];

export const DIALECT_PATHS = [...new Set(DIALECTS.flatMap(({ paths }) => paths))];

const dialectsAt = (path: string) => DIALECTS.filter(({ paths }) => paths.includes(path));

/** The dialect of a request to one of `DIALECT_PATHS`; undefined elsewhere. */
export function dialectOf({ path, state }: Context): Dialect | undefined {
  return state.dialect ?? dialectsAt(path)[0];
}

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
    throw new AppError(
      'invalid-request',
      `the file must be in the field "${first?.field}", not "${received}"`,
    );
  }
  state.dialect = dialect;
  if (index < dialect.maxFiles) return;
  const number = dialect.maxFiles === 1 ? 'exactly one file' : `at most ${dialect.maxFiles} files`;
  throw new AppError('invalid-request', `send ${number}, in the field "${field}"`);
}

/**
 * The body of an error at one of `DIALECT_PATHS`; undefined elsewhere, and where a browser gets a page. Where a path has a
 * page too, only POST belongs to the dialect.
 */
export function presentDialectError(ctx: Context, status: number, message: string): DialectBody | undefined {
  const dialect = dialectOf(ctx);
  if (!dialect) return undefined;
  const isPost = ctx.method === 'POST';
  if (!isPost && ctx.response.get('Allow').includes('GET')) return undefined;
  if ((!isPost || dialect.hasPages) && ctx.accepts('json', 'html') === 'html') return undefined;
  return dialect.presentError(status, message, new URLSearchParams(ctx.querystring));
}
