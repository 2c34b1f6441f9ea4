import { link, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DAYS, type OngoingAnime } from '../../src/domain/listing.ts';
import type { Snapshot } from '../../src/domain/snapshot.ts';
import { createUploadId } from '../../src/domain/upload-id.ts';
import { encodeFooter } from '../../src/uploads/storage/disk/stored-file.ts';

/** Returns a snapshot with `count` different anime. */
export function manyAnime(count: number): Snapshot {
  const ongoing = Array.from({ length: count }, (_, index): OngoingAnime => {
    const slug = `penjaga-menara-${index}-sub-indo`;
    return {
      title: `Penjaga Menara ${index}: Musim ${(index * 7_919) % 97}`,
      episode: 1 + (index % 26),
      day: DAYS[index % DAYS.length]!,
      date: `${1 + (index % 28)} Nov`,
      image: `https://source.example/wp-content/uploads/2026/11/${slug}.jpg`,
      slug,
    };
  });
  const schedule = DAYS.map((day) => ({
    day,
    animeList: ongoing.filter((anime) => anime.day === day).map(({ title, slug }) => ({ title, slug })),
  }));
  return {
    ongoing,
    schedule,
    scheduleChangedAt: 1,
    ongoingChangedAt: 1,
    epoch: 'e1',
    lastEvent: 0,
    ledger: {},
  };
}

/** Some file systems allow no more hard links to one file. */
const LINKS = 30_000;

/** Fills a storage's folder with `count` files of 1 KB. Hard links are enough, because only their names differ. */
export async function manyFiles(root: string, count: number, expiresAt: number): Promise<void> {
  const folder = path.join(root, new Date(expiresAt).toISOString().slice(0, 13));
  await mkdir(folder, { recursive: true });
  const file = Buffer.concat([Buffer.alloc(1024, 'tayang'), encodeFooter(describe(expiresAt))]);
  const random = Buffer.alloc(16);
  let original = '';
  for (let index = 0; index < count; index += 1) {
    random.writeUInt32BE(index);
    const target = path.join(folder, createUploadId(expiresAt, random));
    if (index % LINKS > 0) {
      await link(original, target);
      continue;
    }
    await writeFile(target, file);
    original = target;
  }
}

function describe(expiresAt: number) {
  return {
    originalname: 'x.bin',
    encoding: '7bit',
    mimetype: 'application/octet-stream',
    extension: 'bin',
    size: 1024,
    sha256: 'ab'.repeat(32),
    mediaType: 'application/octet-stream',
    uploadedAt: expiresAt - 3_600_000,
    expiresAt,
    address: '203.0.113.7',
    receiver: '',
    owner: '192.0.2.1',
    deleteKeyHash: 'c'.repeat(43),
  };
}
