import { AppError, ERROR_CODES } from '../../domain/errors.ts';

/** An error as data. A structured clone of an error loses its class and the code of an AppError. */
export interface PlainError {
  name: string;
  message: string;
  stack: string | undefined;
  code: string | undefined;
  /** The port of EADDRINUSE. */
  port: number | undefined;
  isAppError: boolean;
  cause: PlainError | undefined;
}

/** The maximum depth of causes: an error may be its own cause. */
const MAX_DEPTH = 5;

export function toPlainError(thrown: unknown, depth = 0): PlainError {
  const error: Error & { code?: string; port?: number } =
    thrown instanceof Error ? thrown : new Error(String(thrown));
  const { name, message, stack, code, port, cause } = error;
  return {
    name,
    message,
    stack,
    code,
    port,
    isAppError: error instanceof AppError,
    cause: cause !== undefined && depth < MAX_DEPTH ? toPlainError(cause, depth + 1) : undefined,
  };
}

/** Restores the error: an AppError with its code, or an Error with the name, the code and the stack that it had. */
export function fromPlainError({ name, message, stack, code, port, isAppError, cause }: PlainError): Error {
  const options = cause && { cause: fromPlainError(cause) };
  const appCode = isAppError ? ERROR_CODES.find((known) => known === code) : undefined;
  const error = appCode
    ? new AppError(appCode, message, options)
    : Object.assign(new Error(message, options), { name, port, code });
  if (stack) error.stack = stack;
  return error;
}

/** Replaces the error of an event, if any, by data that can be sent to another thread. */
export function packEvent<Event extends object>(event: Event): Event {
  return 'error' in event ? { ...event, error: toPlainError(event.error) } : event;
}

/** Restores an event that `packEvent` has packed. */
export function unpackEvent<Event extends object>(event: Event): Event {
  // `packEvent` has replaced the error by a PlainError, and the type of the event does not show that.
  return 'error' in event ? { ...event, error: fromPlainError(event.error as PlainError) } : event;
}
