/** Concatenated texts: any range of them is a slice of the same bytes, without a copy. */
export interface Texts {
  bytes: Uint8Array;
  /** The offset of each text, and at the end that of the end of the last one. */
  starts: readonly number[];
}

export function joinTexts(texts: readonly string[]): Texts {
  const starts = [0];
  for (const text of texts) starts.push(starts.at(-1)! + Buffer.byteLength(text));
  return { bytes: Buffer.from(texts.join('')), starts };
}

/** The texts from the one at `from` to the one before `to`. */
export function sliceTexts({ bytes, starts }: Texts, from: number, to: number): Uint8Array {
  return bytes.subarray(starts[from], starts[to]);
}
