import type { BucketJob } from './bucket-job.ts';

/** An operation on a bucket that faults disturb, and what must be true of it afterwards. */
export interface BucketOperation {
  /** Runs undisturbed, in the same process. */
  prepare(job: BucketJob): Promise<PreparedOperation>;
}

interface PreparedOperation {
  /** Is disturbed, and may fail with an AppError. */
  run(): Promise<void>;
  /** Runs undisturbed, with a new process. `visible`: the ids of all files. Throws when what was acknowledged is not so. */
  check(visible: Set<string>, job: BucketJob): Promise<void>;
}
