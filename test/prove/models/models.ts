import { openMemoryStore } from '../../../src/crawler/stores/memory.ts';
import { openSqliteStore } from '../../../src/crawler/stores/sqlite.ts';
import { openTestRedis, type TestRedis } from '../../support/redis.ts';
import { temporaryFolder } from '../../support/service.ts';
import { check, type Draw, type Model, proveEach } from '../check.ts';
import { withCleanups } from '../cleanups.ts';
import { months, runMonth } from './belief/run-month.ts';
import { runScenario as runCrawler } from './crawler/run-scenario.ts';
import { type Scenario as CrawlerScenario, scenarios as crawlerScenarios } from './crawler/scenario.ts';
import { runScenario as runLimits } from './limits/run-scenario.ts';
import { type Step as LimitsStep, scenarios as limitsScenarios } from './limits/scenario.ts';
import { scenarios as uploadScenarios } from './uploads/scenario.ts';
import { checkInS3, checkOnDisk } from './uploads/storages.ts';

const RUNS = 10_000;

/** A slower model runs a share of the scenarios. */
const define =
  <Scenario>(model: Model<Scenario>, share = 1) =>
  async ({ runs, seed }: Draw) => {
    const counted = Math.ceil(runs * share);
    const failure = await check(model, { runs: counted, seed });
    return { failure, counts: `${counted} scenarios` };
  };

export const MODELS = {
  'crawler in memory': define({ cases: crawlerScenarios, run: checkInMemory }),
  'crawler on SQLite': define({ cases: crawlerScenarios, run: checkInSqlite }, 1 / 10),
  'belief over a month': define({ cases: months(30 * 24), run: runMonth }, 1 / 100),
  'uploads on a disk': define({ cases: uploadScenarios, run: checkOnDisk }, 1 / 10),
  'uploads in S3': define({ cases: uploadScenarios, run: checkInS3 }, 1 / 50),
  'limits in Redis': define({ cases: limitsScenarios, run: checkInRedis }, 1 / 200),
};

/** `models [crawler|belief|uploads|limits] [runs [seed]]` */
export const proveModels = (args: string[]): Promise<boolean> => proveEach(MODELS, args, RUNS);

/** Both processes use one store in memory. */
async function checkInMemory(scenario: CrawlerScenario): Promise<string[]> {
  const store = await openMemoryStore();
  return runCrawler(scenario, async () => store);
}

/** Each process opens the file on its own. */
function checkInSqlite(scenario: CrawlerScenario): Promise<string[]> {
  return withCleanups(async (defer) => {
    const url = `sqlite:${await temporaryFolder(defer)}/cache.sqlite`;
    return runCrawler(scenario, () => openSqliteStore(url));
  });
}

let server: Promise<TestRedis> | undefined;

/** All scenarios use one server, which ends with this process. */
async function checkInRedis(steps: LimitsStep[]): Promise<string[]> {
  server ??= openTestRedis((kill) => void process.once('exit', kill));
  return runLimits(steps, await server);
}

export type ModelName = keyof typeof MODELS;
