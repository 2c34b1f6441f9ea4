import { isDeepStrictEqual } from 'node:util';
import type { Cover, Covers } from '../../domain/cover.ts';
import { coalesce } from '../../domain/serial.ts';
import type { SnapshotStore } from '../../store/snapshot-store.ts';
import type { Lease } from '../../store/store.ts';
import type { DecodedCover } from './decoder.ts';
import type { CoverRecords } from './due-covers.ts';

/** The value with all records. The two files of each cover are values of their own, in Base64. */
const KEY = 'covers';
const fileKey = (name: string) => `cover:${name}`;

/** The same bytes are stored once, whatever anime have them. */
const namesOf = ({ hash }: Pick<Cover, 'hash'>) => [`${hash}.webp`, `${hash}.jpg`];

/** The covers that all processes on a store share. */
export interface CoverStore {
  /** The record of each cover, by slug, as last read or written. */
  records(): CoverRecords;
  /** The covers that are kept: the same object until one changes. */
  covers(): Covers;
  /** Reads the store. Rejects if that fails; the last records stay. */
  load(): Promise<void>;
  /** Reads a file, such as `0123456789abcdef.webp`; undefined where the store does not have it any more. */
  readFile(name: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Writes records and the pictures that they have now, and removes those that no record has any more, in one step. */
  write(lease: Lease, records: CoverRecords, pictures: readonly DecodedCover[]): Promise<void>;
}

export async function openCoverStore({
  values,
  memory,
}: Pick<SnapshotStore, 'values' | 'memory'>): Promise<CoverStore> {
  let records = memory.recall<CoverRecords>(KEY) ?? {};
  let covers = coversOf(records);

  function learn(latest: CoverRecords): void {
    records = latest;
    memory.note(KEY, records);
    const kept = coversOf(records);
    if (!isDeepStrictEqual(kept, covers)) covers = kept;
  }

  const load = coalesce(async () => learn((await values.get<CoverRecords>(KEY)) ?? {}));
  await load().catch(() => {});

  return {
    records: () => records,
    covers: () => covers,
    load,
    async readFile(name) {
      const text = await values.get<string>(fileKey(name));
      return text === undefined ? undefined : new Uint8Array(Buffer.from(text, 'base64'));
    },
    async write(lease, latest, pictures) {
      const kept = new Set(Object.values(coversOf(latest)).flatMap(namesOf));
      const gone = Object.values(covers)
        .flatMap(namesOf)
        .filter((name) => !kept.has(name));
      const files = pictures.flatMap(filesOf).filter(([name]) => kept.has(name));
      await lease.write({
        [KEY]: latest,
        ...Object.fromEntries(gone.map((name) => [fileKey(name), undefined])),
        ...Object.fromEntries(files.map(([name, text]) => [fileKey(name), text])),
      });
      learn(latest);
    },
  };
}

function coversOf(records: CoverRecords): Covers {
  const kept = Object.entries(records).flatMap(([slug, { kept }]) => (kept ? [[slug, kept] as const] : []));
  return Object.fromEntries(kept);
}

function filesOf(picture: DecodedCover): [name: string, text: string][] {
  const [small = '', large = ''] = namesOf(picture);
  const encode = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  return [
    [small, encode(picture.small.bytes)],
    [large, encode(picture.large.bytes)],
  ];
}
