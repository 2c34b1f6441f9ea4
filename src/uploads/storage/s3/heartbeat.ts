import type { Bucket } from './bucket.ts';

/** A process with parts on the way shows that it lives by writing its object this often … */
const HEARTBEAT_MS = 5_000;
/** … and is taken for dead when another one has seen it unchanged for this long. */
const DEAD_AFTER_MS = 20_000;

export interface BeatsOptions {
  bucket: Bucket;
  /** What all their keys begin with. */
  prefix: string;
  /** This process, unlike any other. */
  own: string;
  /** Ms since 1970. */
  clock: () => number;
}

/** Tells processes that live from those that died, by the clock of who looks: theirs may differ. */
export function createHeartbeat({ bucket, prefix, own, clock }: BeatsOptions) {
  const seen = new Map<string, { version: string; since: number }>();
  let holders = 0;
  let timer: NodeJS.Timeout | undefined;
  let lastStep = Promise.resolve();

  /** One after the other, so that the last one counts. */
  function inTurn(step: () => Promise<void>): Promise<void> {
    lastStep = lastStep.catch(() => {}).then(step);
    return lastStep;
  }

  async function beat(): Promise<void> {
    if (holders > 0) await bucket.put(`${prefix}${own}`, Buffer.from(String(clock())));
  }

  async function end(): Promise<void> {
    if (holders === 0) await bucket.remove([`${prefix}${own}`]);
  }

  function release(): void {
    holders -= 1;
    if (holders > 0) return;
    clearInterval(timer);
    timer = undefined;
    // What cannot be removed now is taken for dead, and nothing is lost by that.
    inTurn(end).catch(() => {});
  }

  return {
    /** Resolves once everybody can see that this process lives, with the way to end that. */
    async hold(): Promise<() => void> {
      holders += 1;
      // A beat that fails is followed by others.
      timer ??= setInterval(() => inTurn(beat).catch(() => {}), HEARTBEAT_MS).unref();
      try {
        await (holders === 1 ? inTurn(beat) : lastStep);
      } catch (error) {
        release();
        throw error;
      }
      return release;
    },

    /** The processes that have not shown that they live while this one looked. */
    async findDead(now: number): Promise<string[]> {
      const dead: string[] = [];
      const present = new Set<string>();
      for await (const { objects } of bucket.list(prefix)) {
        for (const { key, version } of objects) {
          const name = key.slice(prefix.length);
          present.add(name);
          if (seen.get(name)?.version !== version) seen.set(name, { version, since: now });
          if (name !== own && now - seen.get(name)!.since > DEAD_AFTER_MS) dead.push(name);
        }
      }
      for (const name of seen.keys()) if (!present.has(name)) seen.delete(name);
      return dead;
    },

    /** Forgets a dead one of whom nothing is left. */
    forget: (name: string): Promise<void> => bucket.remove([`${prefix}${name}`]),
    /** Resolves when the last beat, or its end, has been sent. */
    async close(): Promise<void> {
      clearInterval(timer);
      await lastStep.catch(() => {});
    },
  };
}

export type Heartbeat = ReturnType<typeof createHeartbeat>;
