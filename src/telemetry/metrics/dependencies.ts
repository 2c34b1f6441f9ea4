import { Gauge, type Registry } from 'prom-client';
import { DEPENDENCIES, type Dependencies } from '../../domain/dependency.ts';

/** Measures whether each dependency of the process works; one that is absent has no sample. */
export function measureDependencies(registry: Registry, read: () => Dependencies): void {
  new Gauge({
    name: 'tayang_dependency_up',
    help: 'Whether a dependency of this process works: 1, or 0.',
    labelNames: ['name'] as const,
    registers: [registry],
    collect() {
      const states = read();
      for (const name of DEPENDENCIES)
        if (states[name] !== 'absent') this.set({ name }, states[name] === 'ok' ? 1 : 0);
    },
  });
}
