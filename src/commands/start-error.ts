import type { Config } from '../app/config.ts';
import { FolderError } from '../app/folders.ts';
import { describeError } from '../domain/errors.ts';
import { redactText } from '../domain/setting-url.ts';

/** Why a port cannot be bound, by the code of the system. */
const PORT_ERRORS: Record<string, string> = {
  EADDRINUSE: 'is in use; stop the program that uses it, or',
  EACCES: 'may not be bound by this user;',
};

/** Says why the service cannot start and, where one is to blame, which variable to change. */
export function describeStartError(error: unknown, config: Config): string {
  // The system sets these properties when a port cannot be bound.
  const { code = '', port } = error as NodeJS.ErrnoException & { port?: number };
  const portError = PORT_ERRORS[code];
  if (error instanceof FolderError) return `Tayang cannot start: ${error.message}.`;
  if (portError && port !== undefined) return `Port ${port} ${portError} set ${portVariable(port, config)}.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    const advice = 'set HOST, or METRICS_HOST, to an address of this machine';
    return `Tayang cannot start: ${redactText(describeError(error))}; ${advice}.`;
  }
  return `Tayang cannot start: ${redactText(describeError(error))}`;
}

function portVariable(port: number, { metricsPort, upload }: Config): string {
  if (port === upload.port) return 'UPLOAD_PORT';
  return port === metricsPort ? 'METRICS_PORT' : 'PORT';
}
