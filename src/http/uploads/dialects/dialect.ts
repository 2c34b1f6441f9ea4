import { invalidRequest } from '../../../domain/errors.ts';
import { parseDuration } from '../../../domain/units.ts';
import type { ReceivedUpload } from '../../../uploads/publish.ts';
import type { PresentUploadOptions } from '../present-upload.ts';

/** What a request says beside its files. */
interface UploadForm {
  /** The text fields; a repeated name has a list. */
  fields: Record<string, unknown>;
  query: URLSearchParams;
}

/**
 * The words in which one service takes uploads: whoever speaks them reaches the same uploads and limits. Of what it presents,
 * text is sent as plain text, and anything else as JSON.
 */
export interface Dialect {
  paths: readonly string[];
  /** The field that contains the files. */
  field: string;
  /** The maximum number of files in one request; by default one. */
  maxFiles?: number;
  /** Whether a browser that sends a form gets pages, for the upload and for errors. */
  hasPages?: boolean;
  /** Another path of the bytes of a file; its parameter is `id`. */
  bytesPath?: string;
  /** Returns the lifetime in ms, undefined where the sender chose none. Throws AppError `invalid-request`. */
  parseLifetime(form: UploadForm): number | undefined;
  presentUploads(
    uploads: ReceivedUpload[],
    options: PresentUploadOptions,
    query: URLSearchParams,
  ): string | object;
  presentError(status: number, message: string, query: URLSearchParams): string | object;
}

/** The values of a field of the form; a field that was left empty has none. */
export function fieldValues(field: unknown): unknown[] {
  return [field].flat().filter((value) => value !== undefined && value !== '');
}

/** The address of the bytes of a file. */
export function fileAddress(
  { id, description }: ReceivedUpload,
  { addresses }: PresentUploadOptions,
): string {
  return addresses.file(id, description.extension);
}

/** Parses a duration such as `1h` that may be given once; ms, undefined where it is not given. */
export function parseLifetime(values: readonly unknown[]): number | undefined {
  const [value, ...others] = values;
  if (values.length === 0) return undefined;
  const lifetimeMs = typeof value === 'string' && others.length === 0 ? parseDuration(value) : undefined;
  if (lifetimeMs) return lifetimeMs;
  throw invalidRequest('expires must be given once, as a duration such as 30m, 1h or 1d');
}
