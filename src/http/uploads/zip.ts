import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { archivedName } from '../../domain/file-name.ts';
import type { StoredFile } from '../../uploads/storage.ts';

/** A file in an archive. */
export interface ZipEntry {
  /** As `uniqueNames` returns it. */
  name: string;
  file: StoredFile;
}

/** An archive whose length is known before it is read. It opens one file after the other. */
export interface ZipArchive {
  size: number;
  bytes: AsyncIterable<Buffer>;
  /** Has to be called in any case: closes the file that is open. */
  close(): void;
}

/** So much of a file is passed on at once: yazl has six streams, each of which may keep a piece. */
const PIECE_BYTES = 64 * 1024;

/** Archives files without compressing them: most of what is uploaded is compressed already. yazl uses ZIP64 where it is needed. */
export async function createZip(entries: readonly ZipEntry[]): Promise<ZipArchive> {
  const archive = new ZipFile();
  const opened = new Set<Readable>();
  for (const { name, file } of entries) {
    const { size, uploadedAt } = file.description;
    archive.addReadStreamLazy(name, { size, mtime: new Date(uploadedAt), compress: false }, (done) => {
      const stream = Readable.from(readInPieces(file), { objectMode: false });
      opened.add(stream);
      done(null, stream);
    });
  }
  const output = archive.outputStream as Readable;
  archive.on('error', (error: Error) => output.destroy(error));
  return {
    size: await calculateSize(archive),
    bytes: output,
    close() {
      output.destroy();
      for (const stream of opened) stream.destroy();
    },
  };
}

/** Resolves with the size of an archive to which nothing is added any more. */
async function calculateSize(archive: ZipFile): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  // yazl documents that it passes the size, which its types lack.
  archive.end({ comment: '', forceZip64Format: false }, resolve as () => void);
  return promise;
}

/**
 * Copies what it reads: the memory of a chunk is valid until the next one is read, and the streams of an archive read ahead. The
 * file is opened when the first piece is wanted, so that one of which nothing is wanted need not be closed.
 */
async function* readInPieces(file: StoredFile): AsyncGenerator<Buffer, void> {
  const bytes = await file.read();
  for await (const chunk of Buffer.isBuffer(bytes) ? [bytes] : bytes) {
    for (let start = 0; start < chunk.length; start += PIECE_BYTES)
      yield Buffer.from(chunk.subarray(start, start + PIECE_BYTES));
  }
}

/** Makes displayed names differ, without regard to case, as file systems do: `photo.jpg`, `photo (2).jpg`. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = archivedName(name, 1);
    for (let number = 2; taken.has(keyOf(unique)); number += 1) unique = archivedName(name, number);
    taken.add(keyOf(unique));
    return unique;
  });
}

function keyOf(name: string): string {
  return name.normalize('NFKC').toUpperCase().toLowerCase();
}
