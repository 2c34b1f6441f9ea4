import areas from './areas.json' with { type: 'json' };

/** What is mutated together, files of src, and the tests that are about it, which run in one process. */
export const AREAS: Record<string, { mutated: string[]; tests: string[] }> = areas;

/** Returns the names that no area has. */
export function findUnknown(names: readonly string[]): string[] {
  return names.filter((name) => !Object.hasOwn(AREAS, name));
}
