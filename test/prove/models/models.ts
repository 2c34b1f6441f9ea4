import fc from 'fast-check';
import { openTestRedis, type TestRedis } from '../../support/redis.ts';
import { months, runMonth } from './belief/run-month.ts';
import { checkInMemory, checkInSqlite } from './crawler/check-crawler.ts';
import { scenarios as crawlerScenarios } from './crawler/scenario.ts';
import { runScenario as runLimits } from './limits/run-scenario.ts';
import { type Step as LimitsStep, scenarios as limitsScenarios } from './limits/scenario.ts';
import { checkInS3, checkOnDisk } from './resumable/check-resumable.ts';
import { scenarios as resumableScenarios } from './resumable/scenario.ts';
import { runScenario } from './uploads/run-scenario.ts';
import { scenarios as uploadScenarios } from './uploads/scenario.ts';

/** A model: scenarios, and the function that runs one and returns what is wrong. */
interface Model<Scenario> {
  scenarios: fc.Arbitrary<Scenario>;
  run(scenario: Scenario): Promise<string[]>;
}

/** A slower model runs a share of the scenarios. */
const define = <Scenario>(model: Model<Scenario>, share = 1) => ({
  check: ({ runs, seed }: { runs: number; seed: number }) =>
    check(model, { runs: Math.ceil(runs * share), seed }),
});

export const MODELS = {
  'crawler in memory': define({ scenarios: crawlerScenarios, run: checkInMemory }),
  'crawler on SQLite': define({ scenarios: crawlerScenarios, run: checkInSqlite }, 1 / 10),
  'belief over a month': define({ scenarios: months(30 * 24), run: runMonth }, 1 / 100),
  'uploads on a disk': define({ scenarios: uploadScenarios, run: runScenario }),
  'resumable uploads on a disk': define({ scenarios: resumableScenarios, run: checkOnDisk }, 1 / 10),
  'resumable uploads in S3': define({ scenarios: resumableScenarios, run: checkInS3 }, 1 / 50),
  'limits in Redis': define({ scenarios: limitsScenarios, run: checkInRedis }, 1 / 200),
};

let server: Promise<TestRedis> | undefined;

/** All scenarios use one server, which ends with this process. */
async function checkInRedis(steps: LimitsStep[]): Promise<string[]> {
  server ??= openTestRedis((kill) => void process.once('exit', kill));
  return runLimits(steps, await server);
}

export type ModelName = keyof typeof MODELS;

interface ModelResult {
  runs: number;
  /** The shortest scenario that fails, and what is wrong; undefined when none does. */
  failure: string | undefined;
}

async function check<Scenario>(
  { scenarios: generated, run }: Model<Scenario>,
  { runs, seed }: { runs: number; seed: number },
): Promise<ModelResult> {
  const property = fc.asyncProperty(generated, async (scenario) => {
    const faults = await run(scenario);
    if (faults.length > 0) throw new Error(faults.join('; '));
  });
  const result = await fc.check(property, { numRuns: runs, seed });
  const failure = result.failed
    ? `seed ${seed}, path ${result.counterexamplePath}: ${result.errorInstance}: ${JSON.stringify(result.counterexample?.[0])}`
    : undefined;
  return { runs: result.numRuns, failure };
}
