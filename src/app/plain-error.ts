import { AppError, type ErrorCode } from '../domain/errors.ts';

/** An error as data: a structured clone loses the class and the code of an AppError. */
export interface PlainError {
  name: string;
  message: string;
  stack: string | undefined;
  code: string | undefined;
  /** Of EADDRINUSE. */
  port: number | undefined;
  isAppError: boolean;
  cause: PlainError | undefined;
}

/** How many causes deep: an error may be its own. */
const MAX_DEPTH = 5;

export function toPlainError(thrown: unknown, depth = 0): PlainError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  const hasCause = error.cause !== undefined && depth < MAX_DEPTH;
  return {
    name: error.name,
    message: error.message,
    stack: error.stack,
    code,
    port,
    isAppError: error instanceof AppError,
    cause: hasCause ? toPlainError(error.cause, depth + 1) : undefined,
  };
}

/** The error again: an AppError with its code, or an Error with the name, the code and the stack that it had. */
export function fromPlainError({ isAppError, cause, code, message, ...rest }: PlainError): Error {
  const options = cause && { cause: fromPlainError(cause) };
  const error = isAppError
    ? new AppError(code as ErrorCode, message, options)
    : Object.assign(new Error(message, options), { name: rest.name, port: rest.port, code });
  if (rest.stack) error.stack = rest.stack;
  return error;
}
