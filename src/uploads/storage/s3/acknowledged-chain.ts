import type { Objects } from '../objects.ts';
import type { Piece } from './pieces.ts';

/*
 * The object `chain` of an upload has the names of the last pieces that were acknowledged, because a listing may lack new
 * objects for a while. It is there from the first byte on.
 */

/** How many names are kept: all that a listing may lack. */
const MAX_LISTED_LATE = 100;

/** Empty before the first byte. */
export async function readAcknowledged(upload: Objects): Promise<string[]> {
  return (await upload.get('chain'))?.toString().split('\n') ?? [];
}

export async function writeAcknowledged(upload: Objects, chain: readonly Piece[]): Promise<void> {
  const names = chain.slice(-MAX_LISTED_LATE).map(({ name }) => name);
  await upload.put('chain', Buffer.from(names.join('\n')));
}
