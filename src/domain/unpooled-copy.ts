/**
 * Copies bytes into a buffer outside Node's pool. A buffer that is a view of a larger one, such as the pool that small
 * buffers share, keeps all of the larger one in memory.
 */
export function copyUnpooled(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
