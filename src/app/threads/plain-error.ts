import { AppError, ERROR_CODES } from '../../domain/errors.ts';

/** An error as data. On its way to another thread an error loses its class, and in a message its properties as well. */
export interface PlainError {
  name: string;
  message: string;
  stack?: string | undefined;
  code?: string | undefined;
  /** The port of EADDRINUSE. */
  port?: number | undefined;
  cause?: PlainError | undefined;
}

/** The maximum depth of causes: an error may be its own cause. */
const MAX_DEPTH = 5;

export function toPlainError(thrown: unknown, depth = 0): PlainError {
  const error: Error & { code?: string; port?: number } =
    thrown instanceof Error ? thrown : new Error(String(thrown));
  const { name, message, stack, code, port, cause } = error;
  const plainCause = cause !== undefined && depth < MAX_DEPTH ? toPlainError(cause, depth + 1) : undefined;
  return { name, message, stack, code, port, cause: plainCause };
}

/** Restores the error: an AppError by its code, or an Error with the name, the code and the stack that it had. */
export function fromPlainError({ name, message, stack, code, port, cause }: PlainError): Error {
  const options = cause && { cause: fromPlainError(cause) };
  const knownCode = ERROR_CODES.find((one) => one === code);
  const error = knownCode
    ? new AppError(knownCode, message, options)
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
