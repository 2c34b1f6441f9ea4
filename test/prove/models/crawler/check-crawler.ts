import { openMemoryStore } from '../../../../src/crawler/stores/memory.ts';
import { openSqliteStore } from '../../../../src/crawler/stores/sqlite.ts';
import { temporaryFolder } from '../../../support/service.ts';
import { withCleanups } from '../../cleanups.ts';
import { runScenario } from './run-scenario.ts';
import type { Scenario } from './scenario.ts';

/** Runs a scenario over one store in memory; returns what is wrong. */
export async function checkInMemory(scenario: Scenario): Promise<string[]> {
  const store = await openMemoryStore();
  return runScenario(scenario, async () => store);
}

/** Runs a scenario over one file, which each process opens on its own; returns what is wrong. */
export function checkInSqlite(scenario: Scenario): Promise<string[]> {
  return withCleanups(async (defer) => {
    const url = `sqlite:${await temporaryFolder(defer)}/cache.sqlite`;
    return runScenario(scenario, () => openSqliteStore(url));
  });
}
