import type { Store } from './store.ts';

/** Names the original of a copied store. The first process that serves from the store removes it. */
export const COPY_MARK = 'copy';

export interface StoreCopyMark {
  /** Names the store that was copied. */
  from: string;
}

/** To be called before anything is written to a store that is served: a later copy into it would overwrite that. */
export async function removeCopyMark({
  values,
  contents,
}: Pick<Store, 'values' | 'contents'>): Promise<void> {
  if (await values.get(COPY_MARK)) await contents.write('values', [], [COPY_MARK]);
}
