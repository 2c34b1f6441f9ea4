import type { Readable } from 'node:stream';
import type multer from '@koa/multer';
import type { SenderClaims } from '../../uploads/publish.ts';
import { translateMulterError } from './body-errors.ts';

/** Stages a file of a body: reads the stream to its end. Files that follow each other may overlap. */
export type Stage = (stream: Readable, field: string) => Promise<void>;

interface MulterFile extends SenderClaims {
  fieldname: string;
  stream: Readable;
}

export type MulterEngine = ReturnType<typeof createMulterEngine>;

/** Creates a storage engine for multer that stages the files while they arrive. */
export function createMulterEngine(stage: Stage) {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  const stagings: Promise<void>[] = [];
  let underWay = 0;

  async function stageFile({ fieldname, stream }: MulterFile): Promise<void> {
    underWay += 1;
    try {
      await stage(stream, fieldname);
    } catch (error) {
      throw error === stream.errored ? translateMulterError(error) : error;
    } finally {
      underWay -= 1;
    }
  }

  const storage = {
    _handleFile(_request: unknown, file: MulterFile, done: (error?: unknown) => void) {
      const staging = stageFile(file);
      stagings.push(staging);
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
    /** Rejects as soon as a file cannot be staged. */
    failed: failed.promise,
    /** Resolves once staging has ended: with its first error, or with undefined. */
    stagingError: async (): Promise<unknown> => {
      const results = await Promise.allSettled(stagings);
      return results.find((result) => result.status === 'rejected')?.reason;
    },
    isStaging: () => underWay > 0,
  };
}
