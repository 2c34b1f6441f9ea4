import { randomBytes, randomInt } from 'node:crypto';
import { createClient, from } from '../../../support/client.ts';
import { filePart, multipart } from '../../../support/upload-body.ts';
import { post, upload } from '../../../support/upload-client.ts';
import type { Tally } from './tally.ts';

/** In bytes; always in this order, so that the files of any minute occupy the same. */
const SIZES = [1_000, 30_000, 200_000, 700, 2_000_000, 12_000, 90_000, 900_000];
const CONTENT = randomBytes(4_000_000);
const LARGE_BYTES = 1_000_000;
const LIVES_MS = [60_000, 120_000, 180_000];
/** A file is asked for until a while after its expiry. */
const ASKED_AFTER_EXPIRY_MS = 20_000;
/** Each sends so seldom that the limiter lets it in. */
const CLIENTS = 250;

interface SentFile {
  path: string;
  page: string;
  deletion: string;
  content: Buffer;
  expiresAt: number;
  isDeleted: boolean;
}

/** Uploads, and reads and deletions of the files. Returns a function to the path of a large file. */
export function startSenders(origin: string, tally: Tally): () => string | undefined {
  const ask = createClient(origin);
  let files: SentFile[] = [];
  const anyFile = () => files[randomInt(Math.max(1, files.length))];

  // What is not stored is counted as an error, because it throws.
  tally.every(1_000, 'upload', async (turn) => {
    const size = SIZES[turn % SIZES.length]!;
    const start = randomInt(CONTENT.length - size);
    const content = CONTENT.subarray(start, start + size);
    const path = `/upload?expires=${LIVES_MS[turn % LIVES_MS.length]}ms`;
    const headers = from(`198.18.0.${turn % CLIENTS}`);
    const { result, file, page, deletion } = await upload(origin, content, { path, headers });
    tally.expect('upload', 200, [200]);
    const now = Date.now();
    files = files.filter((one) => !one.isDeleted && one.expiresAt + ASKED_AFTER_EXPIRY_MS > now);
    files.push({ path: file, page, deletion, content, expiresAt: result.expired, isDeleted: false });
  });

  /** Reads a page of a file, or a file, whole or a range of it, and compares the bytes. */
  tally.every(200, 'download', async (turn) => {
    const file = anyFile();
    if (!file) return;
    const isPage = turn % 10 === 0;
    const isPart = !isPage && turn % 3 > 0;
    const { status, body } = await ask({
      path: isPage ? file.page : file.path,
      headers: isPart ? { Range: 'bytes=100-599' } : {},
    });
    const isGone = file.isDeleted || file.expiresAt <= Date.now();
    tally.expect('download', status, [isPart ? 206 : 200, ...(isGone ? [404, 410] : [])]);
    if (isPage || status > 206) return;
    const expected = isPart ? file.content.subarray(100, 600) : file.content;
    if (!body.equals(expected)) tally.expect('download', 'damaged', []);
  });

  tally.every(5_000, 'delete', async () => {
    const file = anyFile();
    if (!file || file.isDeleted) return;
    file.isDeleted = true;
    const { status } = await ask({ method: 'DELETE', path: file.deletion });
    tally.expect('delete', status, file.expiresAt < Date.now() ? [204, 410] : [204]);
  });

  tally.every(1_000, 'limited upload', async () => {
    const { status } = await post(origin, multipart(filePart()), { headers: from('198.51.100.1') });
    tally.expect('limited upload', status, [200, 429]);
  });

  return () => files.findLast(({ content }) => content.length > LARGE_BYTES)?.path;
}
