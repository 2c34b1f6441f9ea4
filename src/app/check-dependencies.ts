import type {
  CheckedDependencies,
  DependencyCheck,
  DependencyChecks,
  DependencyName,
} from '../domain/dependency.ts';

/** The two together are the longest time until a change is known: less than five seconds. */
const CHECK_EVERY_MS = 1_500;
const CHECK_TIMEOUT_MS = 2_500;

/**
 * Checks each dependency again and again, apart from the others, and calls back with the states of all of them: first when
 * each has been checked once, then whenever one has changed. A check that takes too long counts as failed, and the next
 * one begins when it has ended. Returns a function that stops it.
 */
export function checkDependencies(
  checks: DependencyChecks,
  onChange: (states: CheckedDependencies) => void,
): () => void {
  // `Object.entries` loses the type of the names.
  const entries = Object.entries(checks) as [DependencyName, DependencyCheck][];
  const states: CheckedDependencies = {};
  let isStopped = false;

  function note(name: DependencyName, state: 'ok' | 'down'): void {
    if (states[name] === state || isStopped) return;
    states[name] = state;
    if (Object.keys(states).length === entries.length) onChange({ ...states });
  }

  async function run(name: DependencyName, check: DependencyCheck): Promise<void> {
    const timeout = new AbortController();
    const timer = setTimeout(() => {
      note(name, 'down');
      timeout.abort();
    }, CHECK_TIMEOUT_MS);
    await check(timeout.signal).then(
      () => note(name, 'ok'),
      () => note(name, 'down'),
    );
    clearTimeout(timer);
    if (!isStopped) setTimeout(run, CHECK_EVERY_MS, name, check).unref();
  }

  for (const [name, check] of entries) void run(name, check);
  return () => {
    isStopped = true;
  };
}
