import type { Middleware } from 'koa';
import { errorCode } from '../../domain/errors.ts';
import type { Report } from '../../domain/operational-event.ts';
import { storageDown } from '../../uploads/storage.ts';
import { loggedPath } from '../logged-path.ts';
import { requestId } from '../request-id.ts';

/** A disk that is read-only, broken or not there. A storage expects that a file is missing, but not its folder. */
const DISK_FAILURE =
  /^E(?:ROFS|ACCES|PERM|IO|NOENT|NOTDIR|ISDIR|LOOP|NODEV|NXIO|STALE|BUSY|REMOTEIO|NOLCK|MFILE|NFILE)$/u;

/** Reports an error of the disk to the operator in full, and throws AppError `storage-down` in its place. */
export function storageFailures(report: Report): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (!isDiskFailure(error)) throw error;
      const { method, path } = ctx;
      report({ type: 'request-failed', id: requestId(ctx), method, path: loggedPath(path), error });
      throw storageDown(error);
    }
  };
}

/** Errors of connections, which have such codes too, do not count. */
function isDiskFailure(error: unknown): boolean {
  if (!(error instanceof Error && 'syscall' in error) || error.syscall === 'connect') return false;
  return DISK_FAILURE.test(errorCode(error) ?? '');
}
