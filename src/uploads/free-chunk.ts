/**
 * Yields chunks, and frees the memory of each when the next one is requested. Otherwise the bytes would stay until V8 collects
 * garbage, and would cause that again and again (docs/decisions/0036). A chunk that shares its memory with others is left alone.
 */
export async function* freeingChunks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  for await (const chunk of chunks) {
    yield chunk;
    const { buffer, byteLength } = chunk;
    if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0);
  }
}
