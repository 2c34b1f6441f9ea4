import { openDiskStorage } from '../../../../src/uploads/storage/disk.ts';
import { parseS3Url } from '../../../../src/uploads/storage/s3/address.ts';
import { openS3Storage } from '../../../../src/uploads/storage/s3.ts';
import { filesIn } from '../../../support/files.ts';
import { openTestS3, type TestS3 } from '../../../support/s3.ts';
import { temporaryFolder } from '../../../support/service.ts';
import { withCleanups } from '../../cleanups.ts';
import { runScenario } from './run-scenario.ts';
import type { Scenario } from './scenario.ts';

const MB = 1024 * 1024;

/** Sizes are of no bytes, of some that stay in memory, and of several writes. */
export function checkOnDisk(scenario: Scenario): Promise<string[]> {
  return withCleanups(async (defer) => {
    const root = await temporaryFolder(defer);
    return runScenario(scenario, {
      open: (clock) => openDiskStorage(root, clock),
      sizes: [0, 10, 5_000, 700_000],
      contents: () => filesIn(root),
    });
  });
}

let server: Promise<TestS3> | undefined;

/** All scenarios use one server in this process. */
export async function checkInS3(scenario: Scenario): Promise<string[]> {
  server ??= openTestS3(() => {});
  const s3 = await server;
  const url = s3.url();
  const { prefix } = parseS3Url(url);
  try {
    return await runScenario(scenario, {
      open: (clock) => openS3Storage(url, clock),
      sizes: [0, 10, 5_000, 6 * MB],
      contents: async () => [...s3.keys(prefix), ...s3.unfinished().filter((key) => key.startsWith(prefix))],
    });
  } finally {
    for (const key of s3.keys(prefix)) s3.memory.objects.delete(key);
  }
}
