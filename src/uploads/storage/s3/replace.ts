import { AppError } from '../../../domain/errors.ts';
import { isReplaced } from './errors.ts';

/** An object and its version, which is its ETag. */
export interface VersionedObject {
  bytes: Buffer;
  version: string;
}

interface ReplaceOptions {
  /** Writes an object if it has this version. Undefined when the server has no conditional writes. */
  putIfVersion: (key: string, bytes: Buffer, version: string) => Promise<string | undefined>;
  /** Writes an object whatever its version. */
  put: (key: string, bytes: Buffer) => Promise<string>;
  /** Undefined when there is no such object. */
  getVersion: (key: string) => Promise<VersionedObject | undefined>;
}

/**
 * Returns a function that replaces one version of an object and resolves with the next one. It throws AppError `locked`
 * when the object has another version by now. On a server without conditional writes it compares the version before the
 * write, so it overwrites a request that comes in between.
 */
export function createReplace({ putIfVersion, put, getVersion }: ReplaceOptions) {
  let isSupported = true;

  async function compareAndPut(key: string, bytes: Buffer, version: string): Promise<string> {
    const stored = await getVersion(key);
    if (stored?.version === version) return put(key, bytes);
    throw replaced();
  }

  /** A request whose answer was lost is repeated, and then finds the object that it has written itself. */
  async function expectOwn(key: string, bytes: Buffer): Promise<string> {
    const stored = await getVersion(key);
    if (stored?.bytes.equals(bytes)) return stored.version;
    throw replaced();
  }

  return async (key: string, bytes: Buffer, version: string): Promise<string> => {
    try {
      const next = isSupported ? await putIfVersion(key, bytes, version) : undefined;
      if (next !== undefined) return next;
    } catch (error) {
      if (isReplaced(error)) return expectOwn(key, bytes);
      throw error;
    }
    isSupported = false;
    return compareAndPut(key, bytes, version);
  };
}

function replaced(): AppError {
  return new AppError('locked', 'another request has continued this upload');
}
