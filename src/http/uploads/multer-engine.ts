import type { Readable } from 'node:stream';
import type multer from '@koa/multer';
import { AppError } from '../../domain/errors.ts';
import type { Sent, Staged } from '../../uploads/receive.ts';
import { cutOff, explainMultipart } from './explain-multipart.ts';

/** The field that holds the file. */
export const FIELD = 'file';

export type Stage = (stream: Readable) => Promise<Staged>;

/** A file of a multipart body; `staged` once it has come whole. */
export interface MulterFile extends Sent {
  fieldname: string;
  stream: Readable;
  staged?: Staged;
}

export interface Engine {
  storage: multer.StorageEngine;
  /** Rejects as soon as the file cannot be taken. */
  failed: Promise<never>;
  /** Why the file could not be taken, once that is settled; undefined when it could. */
  failure(): Promise<unknown>;
  /** Whether a file is being taken. */
  isStoring(): boolean;
  /** Gives the file up that is being taken; resolves once nothing of it is left, or when that takes too long. */
  abandon(): Promise<void>;
}

/** How long an answer waits for a file to be given up; it is so afterwards, whenever its storage is done with it. */
const MAX_LEAVING_MS = 10_000;

/** multer's and @koa/multer's types disagree about an engine: its file has no more and no less than `MulterFile`. */
export function createEngine(stage: Stage): Engine {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  let staging: Promise<Staged> | undefined;
  let taken: Readable | undefined;
  let isAbandoned = false;
  let isStoring = false;

  async function receive({ fieldname, stream }: MulterFile): Promise<Staged> {
    if (fieldname !== FIELD) {
      const named = fieldname.slice(0, 64);
      throw new AppError('invalid-request', `the file must be in the field "${FIELD}", not "${named}"`);
    }
    if (isAbandoned) throw cutOff();
    isStoring = true;
    try {
      return await stage(stream);
    } catch (error) {
      throw error === stream.errored ? explainMultipart(error) : error;
    } finally {
      isStoring = false;
    }
  }

  const storage = {
    _handleFile(
      _request: unknown,
      file: MulterFile,
      done: (error: unknown, info?: Partial<MulterFile>) => void,
    ) {
      taken = file.stream;
      staging = receive(file);
      staging.then(
        (staged) => done(null, { staged }),
        (error: unknown) => {
          failed.reject(error);
          done(error);
        },
      );
    },
    _removeFile(_request: unknown, file: MulterFile, done: (error: unknown) => void) {
      Promise.resolve(file.staged?.discard()).then(() => done(null), done);
    },
  };

  const failure = async () =>
    staging?.then(
      () => undefined,
      (error: unknown) => error,
    );

  return {
    storage: storage as unknown as multer.StorageEngine,
    failed: failed.promise,
    failure,
    isStoring: () => isStoring,
    async abandon() {
      isAbandoned = true;
      taken?.destroy(new Error('the request has failed'));
      const gone = staging?.then((staged) => staged.discard()).catch(() => {});
      await within(MAX_LEAVING_MS, gone);
    },
  };
}

async function within(ms: number, work: Promise<void> | undefined): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, late]);
  clearTimeout(timer);
}
