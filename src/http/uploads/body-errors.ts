import { AppError } from '../../domain/errors.ts';

/** Translates errors of multer and busboy for the sender. An AppError is returned as it is. */
export function translateMulterError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return new AppError('invalid-request', messageFor(code), { cause: error });
}

export function malformed(reason: string): AppError {
  return new AppError('invalid-request', `the multipart body is malformed: ${reason}`);
}

function messageFor(code: string): string {
  if (code === 'LIMIT_FILE_COUNT' || code === 'LIMIT_UNEXPECTED_FILE')
    return 'there are too many files in this request; send fewer';
  if (code.startsWith('LIMIT_') || code.endsWith('_FIELD_NAME'))
    return 'there are too many fields beside the file, or too long ones; send the file alone';
  return 'the multipart body is malformed, or was cut off';
}
