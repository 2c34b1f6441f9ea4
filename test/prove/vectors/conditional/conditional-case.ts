/** A request with a Range or with conditions, from the tests of another server, and what is answered to it. */
export interface ConditionalCase {
  name: string;
  /** The size of the file that it is sent for. */
  size: number;
  headers: (current: Validators) => Record<string, string>;
  /** What GET of the file answers: a status, or the first and the last byte of a 206. */
  file: number | readonly [number, number];
  /** The status that GET of a document of the listing answers. */
  document: number;
  /** What the other server does instead, and why this one does not; absent where both agree. */
  differs?: string;
}

/** What the answer to an unconditional request has. */
export interface Validators {
  etag: string;
  /** `Last-Modified`, in ms since 1970. */
  changedAt: number;
}

export const DEFAULT_SIZE = 11;
