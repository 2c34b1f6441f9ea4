import { check, type Draw, type Model, proveEach } from '../check.ts';
import { months, runMonth } from './belief/run-month.ts';
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
  'belief over a month': define({ cases: months(30 * 24), run: runMonth }, 1 / 100),
  'uploads on a disk': define({ cases: uploadScenarios, run: checkOnDisk }, 1 / 10),
  'uploads in S3': define({ cases: uploadScenarios, run: checkInS3 }, 1 / 50),
};

/** `models [belief|uploads] [runs [seed]]` */
export const proveModels = (args: string[]): Promise<boolean> => proveEach(MODELS, args, RUNS);

export type ModelName = keyof typeof MODELS;
