import { copyUnpooled } from '../domain/unpooled-copy.ts';
import { addHeaders, type Document, type Documents, type Encoding, type Variant } from './document.ts';

/** Documents for another thread, without those that it already has. */
export interface PackedDocuments {
  /** The address of each document and its number; addresses may share one. */
  addresses: [address: string, id: number][];
  /** The documents that the previous set did not have. */
  added: PackedDocument[];
  /** The bytes of all added documents, one after another. They are transferred, not copied. */
  bytes: ArrayBuffer;
}

interface PackedDocument extends Pick<Document, 'contentType' | 'changedAt' | 'vary' | 'headers'> {
  id: number;
  variants: { encoding: Encoding; etag: string; length: number }[];
}

/** Packs one set of documents after another. Each pack has only the documents that the set before it lacks. */
export function createPacker(): (documents: Documents) => PackedDocuments {
  const ids = new WeakMap<Document, number>();
  let lastId = 0;
  let packed: ReadonlySet<Document> = new Set();

  function describe(document: Document): PackedDocument {
    const { contentType, changedAt, vary, headers, variants } = document;
    lastId += 1;
    ids.set(document, lastId);
    const lengths = variants.map(({ encoding, etag, bytes }) => ({ encoding, etag, length: bytes.length }));
    return { id: lastId, contentType, changedAt, vary, headers, variants: lengths };
  }

  return (documents) => {
    const all = new Set(documents.values());
    const added = [...all.difference(packed)];
    packed = all;
    return {
      added: added.map(describe),
      bytes: join(added.flatMap(({ variants }) => variants.map(({ bytes }) => bytes))),
      addresses: [...documents].map(([address, document]) => [address, ids.get(document)!]),
    };
  };
}

/**
 * Restores the documents that a packer of another thread has packed, in the order in which it packed them. Those of the
 * first pack, which readers wait for, remain parts of it. Of later packs, which have what has changed, some documents
 * live far longer than others, so each has memory of its own.
 */
export function createUnpacker(): (packed: PackedDocuments) => Documents {
  let known = new Map<number, Document>();

  return ({ addresses, added, bytes }) => {
    const isFirst = known.size === 0;
    let start = 0;
    for (const { id, variants, ...description } of added) {
      const views = variants.map(({ length, ...variant }): Variant => {
        start += length;
        const part = Buffer.from(bytes, start - length, length);
        return addHeaders({ ...variant, bytes: isFirst ? part : copyUnpooled(part) }, description);
      });
      const identity = views.at(-1);
      if (identity) known.set(id, { ...description, identity, variants: views });
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

function join(pieces: readonly Buffer[]): ArrayBuffer {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const piece of pieces) {
    whole.set(piece, end);
    end += piece.length;
  }
  return whole.buffer;
}
