import { expect, test } from 'vitest';
import { createDocument, type Documents } from '../../src/publishing/document.ts';
import { createPacker, createUnpacker } from '../../src/publishing/packed-documents.ts';

const documentOf = (text: string) => createDocument('text/plain', text.repeat(100), 1);
const bytesOf = (documents: Documents, address: string) => documents.get(address)!.identity.bytes;

test('documents that have not changed are the same ones in the next set', () => {
  const [pack, unpack] = [createPacker(), createUnpacker()];
  const [kept, changed] = [documentOf('kept'), documentOf('before')];
  const first = unpack(
    pack(
      new Map([
        ['/a', kept],
        ['/b', changed],
      ]),
    ),
  );
  const second = unpack(
    pack(
      new Map([
        ['/a', kept],
        ['/b', documentOf('after')],
      ]),
    ),
  );
  expect(second.get('/a')).toBe(first.get('/a'));
  expect(String(bytesOf(second, '/b'))).toBe('after'.repeat(100));
});

test('a document that has changed does not keep the others of its pack in memory', () => {
  const [pack, unpack] = [createPacker(), createUnpacker()];
  unpack(pack(new Map([['/a', documentOf('a')]])));
  const documents = unpack(
    pack(
      new Map([
        ['/a', documentOf('b')],
        ['/b', documentOf('c')],
      ]),
    ),
  );
  for (const { variants } of documents.values())
    for (const { bytes } of variants) expect(bytes.buffer.byteLength).toBe(bytes.length);
});
