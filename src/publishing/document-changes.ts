import type { Document, Documents } from './document.ts';

/** All addresses for another thread, each with its document, or with null where the set before has the same. */
export type DocumentChanges = (readonly [address: string, changed: Document | null])[];

export function changesOf(documents: Documents, before: Documents = new Map()): DocumentChanges {
  return [...documents].map(([address, one]) => [address, before.get(address) === one ? null : one]);
}

/** The memory of the changed documents, to be transferred. The thread that has rendered them needs no more than their tags. */
export function memoryOf(changes: DocumentChanges): ArrayBuffer[] {
  // A document may have two addresses. None has shared memory.
  const documents = new Set(changes.flatMap(([, changed]) => changed ?? []));
  const variants = [...documents].flatMap((document) => document.variants);
  return variants.map(({ bytes }) => bytes.buffer as ArrayBuffer);
}

/** The documents after changes that another thread has sent. */
export function applyChanges(changes: DocumentChanges, before: Documents): Documents {
  // On its way a Buffer becomes a Uint8Array.
  for (const variant of changes.flatMap(([, changed]) => changed?.variants ?? []))
    variant.bytes = Buffer.from(variant.bytes.buffer);
  return new Map(changes.map(([address, changed]) => [address, changed ?? before.get(address)!]));
}
