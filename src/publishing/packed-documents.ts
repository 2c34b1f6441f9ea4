import {
  addHeaders,
  type Document,
  type DocumentDescription,
  type Documents,
  type Variant,
} from './document.ts';

/** Documents for another thread, without those that it already has. */
export interface PackedDocuments {
  /** The address of each document and its number; addresses may share one. */
  addresses: [address: string, id: number][];
  /** The documents that the previous set did not have. */
  added: PackedDocument[];
}

interface PackedDocument extends DocumentDescription {
  id: number;
  variants: Pick<Variant, 'encoding' | 'etag' | 'bytes'>[];
}

/** The memory of the added documents, to be transferred. The thread that has rendered them needs no more than their tags. */
export function memoryOf({ added }: PackedDocuments): ArrayBuffer[] {
  // No document has shared memory.
  return added.flatMap(({ variants }) => variants.map(({ bytes }) => bytes.buffer as ArrayBuffer));
}

/** Packs one set of documents after another. Each pack has only the documents that the set before it lacks. */
export function createPacker(): (documents: Documents) => PackedDocuments {
  const ids = new WeakMap<Document, number>();
  let lastId = 0;
  let packed: ReadonlySet<Document> = new Set();

  function describe(document: Document): PackedDocument {
    const { identity: _, variants, ...description } = document;
    lastId += 1;
    ids.set(document, lastId);
    const sent = variants.map(({ encoding, etag, bytes }) => ({ encoding, etag, bytes }));
    return { id: lastId, ...description, variants: sent };
  }

  return (documents) => {
    const all = new Set(documents.values());
    const added = [...all.difference(packed)];
    packed = all;
    return {
      added: added.map(describe),
      addresses: [...documents].map(([address, document]) => [address, ids.get(document)!]),
    };
  };
}

/** Restores the documents that a packer of another thread has packed, in the order in which it packed them. */
export function createUnpacker(): (packed: PackedDocuments) => Documents {
  let known = new Map<number, Document>();

  return ({ addresses, added }) => {
    for (const { id, variants, ...description } of added) {
      const whole = variants.map(({ bytes, ...variant }) =>
        // On its way a Buffer becomes a Uint8Array.
        addHeaders({ ...variant, bytes: Buffer.from(bytes.buffer) }, description),
      );
      const identity = whole.at(-1);
      if (identity) known.set(id, { ...description, identity, variants: whole });
    }
    const documents = new Map<string, Document>();
    const kept = new Map<number, Document>();
    for (const [address, id] of addresses) {
      const document = known.get(id);
      if (!document) throw new Error(`the document at ${address} was not sent`);
      documents.set(address, document);
      kept.set(id, document);
    }
    known = kept;
    return documents;
  };
}
