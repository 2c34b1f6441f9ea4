import { expect, test } from 'vitest';
import { createDocument, type Document, type Documents } from '../../src/publishing/document.ts';
import { createPacker, createUnpacker, memoryOf } from '../../src/publishing/packed-documents.ts';

const documentOf = (text: string) => createDocument('text/plain', text.repeat(100), 1);
const bytesOf = (documents: Documents, address: string) => documents.get(address)!.identity.bytes;

function openTransfer() {
  const [pack, unpack] = [createPacker(), createUnpacker()];
  return (documents: [address: string, Document][]) => {
    const packed = pack(new Map(documents));
    return unpack(structuredClone(packed, { transfer: memoryOf(packed) }));
  };
}

test('documents that have not changed are the same ones in the next set', () => {
  const send = openTransfer();
  const [kept, changed] = [documentOf('kept'), documentOf('before')];
  const first = send([
    ['/a', kept],
    ['/b', changed],
  ]);
  const second = send([
    ['/a', kept],
    ['/b', documentOf('after')],
  ]);
  expect(second.get('/a')).toBe(first.get('/a'));
  expect(String(bytesOf(second, '/b'))).toBe('after'.repeat(100));
});
