import { access, constants, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../app/config.ts';
import { describeError } from '../domain/errors.ts';
import { redactText } from '../domain/redact.ts';

/** A variable whose value the machine does not allow. The message names it. */
class StartError extends Error {}

/**
 * Creates the folders of the store and, where they are served, of the uploads. Throws an Error that names the variable
 * to change when one cannot be created or written to.
 */
export async function prepareFolders({ dataDir, cacheUrl, upload, serves }: Config): Promise<void> {
  const isInDataDir = (folder: string) => !path.relative(dataDir, folder).startsWith('..');
  const prepare = async (variable: string, folder: string, mode?: number) => {
    try {
      await createFolder(folder, mode);
      await access(folder, constants.W_OK | constants.X_OK);
    } catch (error) {
      const name = isInDataDir(folder) ? 'DATA_DIR' : variable;
      const advice = `set ${name} to a folder that this user may write to`;
      throw new StartError(`${folder} cannot be used (${describeError(error)}); ${advice}.`);
    }
  };
  const store = pathOf(cacheUrl, 'sqlite:');
  if (store) await prepare('CACHE_URL', path.dirname(store));
  const uploads = pathOf(upload.storageUrl, 'file:');
  if (uploads && serves.uploads) await prepare('UPLOAD_STORAGE_URL', uploads, 0o700);
}

function pathOf(url: string, scheme: string): string | undefined {
  return url.startsWith(scheme) ? path.resolve(url.slice(scheme.length)) : undefined;
}

/** Creates a folder and its parents. The recursive `mkdir` of Node never returns where a parent exists and refuses with ENOENT. */
async function createFolder(folder: string, mode?: number): Promise<void> {
  const create = () => mkdir(folder, mode).catch(ignoreExisting);
  await create().catch(async (error: NodeJS.ErrnoException) => {
    const parent = path.dirname(folder);
    if (error.code !== 'ENOENT' || parent === folder) throw error;
    await createFolder(parent);
    await create();
  });
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

/** Says why the service cannot start and, where one is to blame, which variable to change. */
export function describeStartError(error: unknown, config: Config): string {
  // The system sets both properties when a port cannot be bound.
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  if (error instanceof StartError) return `Tayang cannot start: ${error.message}`;
  if (code === 'EADDRINUSE') {
    return `Port ${port} is in use; stop the program that uses it, or set ${portVariable(port, config)}.`;
  }
  return `Tayang cannot start: ${redactText(describeError(error))}`;
}

function portVariable(port: number | undefined, { metricsPort, upload }: Config): string {
  if (port === upload.port) return 'UPLOAD_PORT';
  return port === metricsPort ? 'METRICS_PORT' : 'PORT';
}
