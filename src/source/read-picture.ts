import { AppError } from '../domain/errors.ts';
import { parseRetryAfter, type Response, readAtMost } from '../network/http-client.ts';

/** A cover of the site has 15 to 45 KB. */
const MAX_BYTES = 5 * 1024 * 1024;

/**
 * Reads the bytes of a picture, without looking at them. `now`: ms since 1970. Throws AppError `source-blocked` when the
 * host refuses, `source-down` when it fails, `source-changed` when there is none, or a too large one.
 */
export async function readPicture({ status, headers, body }: Response, now: number): Promise<Uint8Array> {
  if (status !== 200) {
    await body?.cancel();
    const retryAfterMs = parseRetryAfter(headers.get('retry-after') ?? '', now);
    throw new AppError(codeOf(status), `the host answered ${status} for a picture`, { retryAfterMs });
  }
  const { bytes, isWhole } = await readAtMost(MAX_BYTES, body);
  if (!isWhole) throw new AppError('source-changed', `the picture has more than ${MAX_BYTES} bytes`);
  return bytes;
}

function codeOf(status: number) {
  if (status === 401 || status === 403 || status === 429) return 'source-blocked';
  return status >= 500 ? 'source-down' : 'source-changed';
}
