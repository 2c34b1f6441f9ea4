import { formatSize } from '../domain/units.ts';
import { type Finding, ok, problem, warning } from './check.ts';
import type { Settings } from './context.ts';

/** Finds valid variables that conflict with one another. An invalid variable has ended the command before. */
export async function* checkConfiguration(settings: Settings): AsyncGenerator<Finding> {
  yield ok('every variable is valid');
  yield* findConflicts(settings);
}

function* findConflicts({ source, upload }: Settings): Generator<Finding> {
  if (source.delayMs >= source.timeoutMs) {
    yield problem(
      `SOURCE_DELAY (${source.delayMs} ms) uses up SOURCE_TIMEOUT (${source.timeoutMs} ms) before a request begins; raise SOURCE_TIMEOUT`,
    );
  }
  const largest = `of UPLOAD_MAX_SIZE (${formatSize(upload.maxBytes)})`;
  if (upload.maxBytes > upload.quotaBytes) {
    yield warning(`no file ${largest} fits into UPLOAD_QUOTA (${formatSize(upload.quotaBytes)})`);
  }
  if (upload.maxBytes > upload.ownerBytes) {
    yield warning(`no file ${largest} fits into UPLOAD_ADDRESS_QUOTA (${formatSize(upload.ownerBytes)})`);
  }
}
