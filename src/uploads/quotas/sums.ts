import type { QuotaLimits } from '../quota.ts';

export type Sums = ReturnType<typeof createSums>;

/** Sums of bytes, in all and for each bucket of their owner. It has no entry for a bucket without bytes. */
export function createSums({ ownerBytes, bucketsOf }: QuotaLimits) {
  const byBucket = new Map<string, number>();
  let total = 0;

  return {
    total: () => total,
    of: (key: string) => byBucket.get(key) ?? 0,
    add(owner: string, bytes: number): void {
      total += bytes;
      for (const { key } of bucketsOf(owner, ownerBytes)) {
        const sum = (byBucket.get(key) ?? 0) + bytes;
        if (sum === 0) byBucket.delete(key);
        else byBucket.set(key, sum);
      }
    },
  };
}
