/** What the jobs of a process may depend on outside of it. */
export type DependencyName = 'store' | 'storage' | 'limiter' | 'quota' | 'scanner';

/** Whether a dependency works for this process; `absent` where the process does not use it. */
type DependencyState = 'ok' | 'down' | 'absent';

export type Dependencies = Readonly<Record<DependencyName, DependencyState>>;

/** The dependencies that a thread has checked. */
export type CheckedDependencies = Partial<Record<DependencyName, 'ok' | 'down'>>;

/** Rejects when the dependency does not work, or when `signal` is aborted before that is known. */
export type DependencyCheck = (signal: AbortSignal) => Promise<void>;

export type DependencyChecks = Partial<Record<DependencyName, DependencyCheck>>;
