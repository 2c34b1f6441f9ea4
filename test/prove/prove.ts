import { proveCrash } from './crash/crash.ts';
import { provePowerLoss } from './power-loss/power-loss.ts';
import { proveS3 } from './s3/prove-s3.ts';

/** `npm run prove -- NAME [argument…]`: docs/proofs.md says what each proof tries. Exits 1 when one fails. */

const PROOFS: Record<string, (args: string[]) => Promise<boolean>> = {
  crash: proveCrash,
  'power-loss': provePowerLoss,
  s3: proveS3,
};

const [name = '', ...args] = process.argv.slice(2);
const prove = PROOFS[name];
if (!prove) {
  console.error(`Name a proof: ${Object.keys(PROOFS).join(', ')}.`);
  process.exit(1);
}
const holds = await prove(args).catch((error: unknown) => {
  console.error(error);
  return false;
});
// What a failed check has left open does not keep the process running.
process.exit(holds ? 0 : 1);
