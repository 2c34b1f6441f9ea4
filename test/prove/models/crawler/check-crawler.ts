import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openMemoryStore } from '../../../../src/crawler/stores/memory.ts';
import { openSqliteStore } from '../../../../src/crawler/stores/sqlite.ts';
import { runScenario } from './run-scenario.ts';
import type { Scenario } from './scenario.ts';

/** Runs a scenario over one store in memory; returns what is wrong. */
export async function checkInMemory(scenario: Scenario): Promise<string[]> {
  const store = await openMemoryStore();
  return runScenario(scenario, async () => store);
}

/** Runs a scenario over one file, which each process opens on its own; returns what is wrong. */
export async function checkInSqlite(scenario: Scenario): Promise<string[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tayang-model-'));
  try {
    return await runScenario(scenario, () => openSqliteStore(`sqlite:${folder}/cache.sqlite`));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
