import { setImmediate } from 'node:timers/promises';

interface Operation {
  isPossible: () => boolean;
  perform: () => Promise<void>;
}

/** Delays the operations of several processes, so that a test decides the order in which they happen. */
export class Turns {
  readonly #waiting = new Map<string, Operation[]>();

  /** Performs the operation when the process has a turn. It is not chosen while it is not possible. */
  wait<Value>(process: string, work: () => Value, isPossible = () => true): Promise<Awaited<Value>> {
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<Value>>();
    const perform = async () => {
      try {
        resolve(await work());
      } catch (error) {
        reject(error);
      }
    };
    this.#waiting.set(process, [...(this.#waiting.get(process) ?? []), { isPossible, perform }]);
    return promise;
  }

  /** The same object, of which these methods wait for a turn of the process. */
  delay<Delayed extends object>(
    process: string,
    inner: Delayed,
    methods: readonly (keyof Delayed)[],
  ): Delayed {
    const delayed = methods.map((name) => {
      const method = inner[name] as (...args: unknown[]) => unknown;
      return [name, (...args: unknown[]) => this.wait(process, () => method(...args))];
    });
    return { ...inner, ...Object.fromEntries(delayed) };
  }

  /** Performs one of the operations that wait. Resolves with false when none is possible. */
  async give(process: string, choice = 0): Promise<boolean> {
    const waiting = this.#waiting.get(process) ?? [];
    const possible = waiting.filter((one) => one.isPossible());
    const chosen = possible[choice % possible.length];
    if (!chosen) return false;
    waiting.splice(waiting.indexOf(chosen), 1);
    await chosen.perform();
    // Everything that follows without another operation happens now.
    await setImmediate();
    return true;
  }

  /** Drops the operations that wait: as in a process that was killed, nothing comes after them. */
  abandon(process: string): void {
    this.#waiting.delete(process);
  }
}
