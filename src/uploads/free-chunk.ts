/**
 * Frees the memory of a chunk of a request's body that is no longer needed; nothing can be read from it afterwards.
 * Otherwise the bytes would stay until V8 collects garbage, and would cause that again and again
 * (docs/decisions/0036). A chunk that shares its memory with others is left alone.
 */
function freeChunk({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0);
}

/** Frees each chunk when the next one is requested. */
export async function* freeingChunks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  for await (const chunk of chunks) {
    yield chunk;
    freeChunk(chunk);
  }
}
