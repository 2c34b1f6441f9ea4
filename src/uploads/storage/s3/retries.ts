export type Retries = ReturnType<typeof createRetries>;

/** Keeps removals that have failed, so that each sweep tries them again. */
export function createRetries() {
  const failed = new Set<() => Promise<unknown>>();

  /** Never rejects: a removal that fails is kept. It must be one that can be repeated. */
  async function attempt(removal: () => Promise<unknown>): Promise<void> {
    await removal().catch(() => failed.add(removal));
  }

  return {
    attempt,
    async repeat(): Promise<void> {
      for (const removal of [...failed]) {
        failed.delete(removal);
        await attempt(removal);
      }
    },
  };
}
