import { randomBytes, randomInt } from 'node:crypto';
import { type Ask, from } from '../../../support/client.ts';
import { filePart, multipart } from '../../../support/upload-body.ts';
import { post, upload } from '../../../support/upload-client.ts';
import { every } from './every.ts';
import type { Tally } from './tally.ts';

/** In bytes; always in this order, so that the files of any minute occupy the same. */
const SIZES = [1_000, 30_000, 200_000, 700, 2_000_000, 12_000, 90_000, 900_000];
const CONTENT = randomBytes(4_000_000);
const LARGE_BYTES = 1_000_000;
const LIVES_MS = [60_000, 120_000, 180_000];
/** A file is asked for until a while after its expiry. */
const ASKED_AFTER_EXPIRY_MS = 20_000;
/** Each client sends so seldom that the limiter lets it in. */
const CLIENTS = 500;

interface SentFile {
  path: string;
  page: string;
  deletion: string;
  content: Buffer;
  expiresAt: number;
  isDeleted: boolean;
}

/** Uploads, and reads and deletions of the files. Returns a function to the path of a large file. */
export function startSenders(origin: string, ask: Ask, tally: Tally): () => string | undefined {
  let files: SentFile[] = [];
  const anyFile = () => files[randomInt(Math.max(1, files.length))];

  // What is not stored is counted as an error, because it throws.
  every(1_000, 'upload', tally, async (turn) => {
    const size = SIZES[turn % SIZES.length] ?? 0;
    const start = randomInt(CONTENT.length - size);
    const content = CONTENT.subarray(start, start + size);
    const lifeMs = LIVES_MS[turn % LIVES_MS.length] ?? 0;
    const sending = { path: `/upload?expires=${lifeMs}ms`, headers: from(clientOf(turn)) };
    const { result, file: path, page, deletion } = await upload(origin, content, sending);
    tally.count('upload', 200);
    const now = Date.now();
    files = files.filter((file) => !file.isDeleted && file.expiresAt + ASKED_AFTER_EXPIRY_MS > now);
    files.push({ path, page, deletion, content, expiresAt: result.expired, isDeleted: false });
  });

  every(200, 'download', tally, async (turn) => {
    const file = anyFile();
    if (file) await download(ask, tally, file, turn);
  });

  every(5_000, 'delete', tally, async () => {
    const file = anyFile();
    if (!file || file.isDeleted) return;
    file.isDeleted = true;
    const { status } = await ask({ method: 'DELETE', path: file.deletion });
    tally.expect('delete', status, file.expiresAt < Date.now() ? [204, 410] : [204]);
  });

  every(1_000, 'limited upload', tally, async () => {
    const { status } = await post(origin, multipart(filePart()), { headers: from('198.51.100.1') });
    tally.expect('limited upload', status, [200, 429]);
  });

  return () => files.findLast(({ content }) => content.length > LARGE_BYTES)?.path;
}

/** Reads a file or its page, whole or a range of it, and compares the bytes. */
async function download(ask: Ask, tally: Tally, file: SentFile, turn: number): Promise<void> {
  const isPage = turn % 10 === 0;
  const [range, expected] = rangeOf(file.content, turn);
  const headers: Record<string, string> = isPage || !range ? {} : { Range: range };
  const { status, body } = await ask({ path: isPage ? file.page : file.path, headers });
  const isGone = file.isDeleted || file.expiresAt <= Date.now();
  tally.expect('download', status, [headers.Range ? 206 : 200, ...(isGone ? [404, 410] : [])]);
  const isFile = !isPage && (status === 200 || status === 206);
  if (isFile && !body.equals(expected)) tally.expect('download', 'damaged', []);
}

function rangeOf(content: Buffer, turn: number): [string | undefined, Buffer] {
  if (turn % 3 === 0) return [undefined, content];
  if (turn % 3 === 1) return ['bytes=-300', content.subarray(-300)];
  return ['bytes=100-599', content.subarray(100, 600)];
}

function clientOf(turn: number): string {
  const client = turn % CLIENTS;
  return `198.18.${Math.floor(client / 250)}.${client % 250}`;
}
