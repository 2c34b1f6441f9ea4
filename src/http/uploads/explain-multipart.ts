import { AppError } from '../../domain/errors.ts';

/** What multer and busboy say of a body, in words that tell its sender what to do. */
export function explainMultipart(error: unknown): unknown {
  const { code = '' } = error as { code?: string };
  if (error instanceof AppError) return error;
  if (code === 'LIMIT_FILE_COUNT' || code === 'LIMIT_UNEXPECTED_FILE') {
    return new AppError('invalid-request', 'send exactly one file, in the field "file"', {
      cause: error,
    });
  }
  if (code.startsWith('LIMIT_') || code.endsWith('_FIELD_NAME')) {
    return new AppError('invalid-request', 'there are too many fields beside the file, or too long ones', {
      cause: error,
    });
  }
  return new AppError('invalid-request', 'the multipart body is malformed, or was cut off', { cause: error });
}

export function cutOff(): AppError {
  return new AppError('invalid-request', 'the body was cut off');
}
