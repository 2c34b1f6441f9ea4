import type { Config } from '../app/config.ts';
import { openDecoder } from '../crawler/covers/decoder.ts';
import { animeLink } from '../domain/anime-record.ts';
import { describeError } from '../domain/errors.ts';
import { formatSize } from '../domain/units.ts';
import type { Source } from '../source/source.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import type { Show } from './check.ts';

/** Reads the first cover of the list as the service would, and shows whether covers can be stored here. */
export async function readNewestCover(
  { keepsCovers }: Pick<Config, 'keepsCovers'>,
  source: Source,
  store: SnapshotStore,
  show: Show,
): Promise<void> {
  if (!keepsCovers) return show('off', 'covers come from the source (COVERS)');
  const { mirror } = (await store.readStatus()).mirrors;
  const [newest] = (await store.readSnapshot())?.ongoing ?? [];
  if (!newest || !mirror) return;
  const { slug, image } = newest;
  const decoder = openDecoder();
  try {
    const page = animeLink(mirror, slug);
    const bytes = await source.readPicture(image, page, new AbortController().signal);
    const { small, large } = await decoder.decode(bytes);
    const sizes = [bytes, small.bytes, large.bytes].map(({ length }) => formatSize(length));
    show(
      'ok',
      `read the cover of ${slug}: ${sizes[0]}, stored as ${sizes[1]} for pages and ${sizes[2]} for others`,
    );
  } catch (error) {
    show(
      'warning',
      `the cover of ${slug}: ${describeError(error)}; readers get missing covers from the source`,
    );
  } finally {
    decoder.close();
  }
}
