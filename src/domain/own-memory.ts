/**
 * Copies bytes to memory of their own. A buffer that is a part of a larger one, as small ones are, keeps all of that in
 * memory for as long as it lives.
 */
export function copyAlone(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
