import type { Readable } from 'node:stream';
import type multer from '@koa/multer';
import { AppError } from '../../domain/errors.ts';
import type { SenderClaims } from '../../uploads/publish.ts';
import { translateMulterError } from './body-errors.ts';

/** The field that contains the file. */
export const FIELD = 'file';

/** Stages the file of a body: reads the stream to its end. */
export type Stage = (stream: Readable) => Promise<void>;

interface MulterFile extends SenderClaims {
  fieldname: string;
  stream: Readable;
}

export type MulterEngine = ReturnType<typeof createMulterEngine>;

/** Creates a storage engine for multer that stages the file while it arrives. */
export function createMulterEngine(stage: Stage) {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  let staging: Promise<void> | undefined;
  let isStaging = false;

  async function stageFile({ fieldname, stream }: MulterFile): Promise<void> {
    if (fieldname !== FIELD) {
      const received = fieldname.slice(0, 64);
      throw new AppError('invalid-request', `the file must be in the field "${FIELD}", not "${received}"`);
    }
    isStaging = true;
    try {
      await stage(stream);
    } catch (error) {
      throw error === stream.errored ? translateMulterError(error) : error;
    } finally {
      isStaging = false;
    }
  }

  const storage = {
    _handleFile(_request: unknown, file: MulterFile, done: (error?: unknown) => void) {
      staging = stageFile(file);
      staging.then(
        () => done(),
        (error: unknown) => {
          failed.reject(error);
          done(error);
        },
      );
    },
    /** Does nothing: the receiver of the upload discards it. */
    _removeFile(_request: unknown, _file: MulterFile, done: (error: null) => void) {
      done(null);
    },
  };

  return {
    // The types of multer and @koa/multer disagree about the file of an engine.
    storage: storage as unknown as multer.StorageEngine,
    /** Rejects as soon as the file cannot be staged. */
    failed: failed.promise,
    /** Resolves once staging has ended: with its error, or with undefined. */
    stagingError: async (): Promise<unknown> =>
      staging?.then(
        () => undefined,
        (error: unknown) => error,
      ),
    isStaging: () => isStaging,
  };
}
