import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import type { DecodedCover, DecoderReply } from './decoder.ts';

/**
 * Decodes strangers' pictures in a process of its own, which may crash, hang or fill its memory, and ends with its
 * parent. It reads no file, opens no connection, and gets no settings.
 */

const MAX_PIXELS = 40_000_000;
/** Covers are three times as high as wide at most. A wider or higher picture becomes smaller, and keeps its shape. */
const SMALL = { width: 160, height: 480 };
const LARGE = { width: 480, height: 1_440 };
const FIT = { fit: 'inside', withoutEnlargement: true } as const;
/** All other formats that the library reads are refused before it looks at them. */
const LOADERS = ['Jpeg', 'Png', 'Webp', 'Heif', 'Nsgif'].map((format) => `VipsForeignLoad${format}Buffer`);
const HASH_LENGTH = 16;

process.on('disconnect', () => process.exit());
process.title = 'tayang-covers';
giveWay();
const { default: sharp } = await import('sharp').catch((error: unknown) => {
  reply({ failure: String(error) });
  process.exit();
});
sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: LOADERS });
process.on('message', async (bytes: Uint8Array) => {
  reply(
    await decode(bytes).then(
      (cover) => ({ cover }),
      (error: unknown) => ({ failure: String(error) }),
    ),
  );
});
reply({});

/** The first frame, upright and without metadata, on white where it is transparent. Its pixels are decoded once. */
async function decode(bytes: Uint8Array): Promise<DecodedCover> {
  const { data, info } = await sharp(bytes, { failOn: 'error', limitInputPixels: MAX_PIXELS })
    .autoOrient()
    .resize({ ...LARGE, ...FIT })
    .flatten({ background: 'white' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const open = () =>
    sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } });
  const large = await open().jpeg({ quality: 80, mozjpeg: true }).toBuffer({ resolveWithObject: true });
  const small = await open()
    .resize({ ...SMALL, ...FIT })
    .webp({ quality: 75, effort: 5 })
    .toBuffer({ resolveWithObject: true });
  const digest = hash('sha256', Buffer.concat([small.data, large.data]), 'hex');
  return {
    hash: digest.slice(0, HASH_LENGTH),
    small: { bytes: small.data, width: small.info.width, height: small.info.height },
    large: { bytes: large.data, width: large.info.width, height: large.info.height },
  };
}

/** Everything else goes first, and where memory runs out, Linux ends this process. */
function giveWay(): void {
  setPriority(constants.priority.PRIORITY_LOW);
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {}
}

function reply(message: DecoderReply): void {
  process.send?.(message);
}
