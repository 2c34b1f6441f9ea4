import { inFolder } from './support/folders.ts';
import { runClient } from './support/load.ts';
import { memoryGrowth } from './support/measure.ts';
import { startService } from './support/servers.ts';

/**
 * Prints how much memory the service takes for one upload of 1 GB, and for sixteen of 256 MB at once, by POST and by PATCH.
 */

const MB = 1024 ** 2;
const CASES = [
  { uploads: 1, megabytes: 1024, client: 'upload', path: '/upload' },
  { uploads: 16, megabytes: 256, client: 'upload', path: '/upload' },
  { uploads: 1, megabytes: 1024, client: 'upload-resumable', path: '/files' },
  { uploads: 16, megabytes: 256, client: 'upload-resumable', path: '/files' },
];

// Each case has a service of its own, because memory that one case has freed would serve the next.
for (const { uploads, megabytes, client, path } of CASES) {
  await inFolder(async (folder) => {
    const service = await startService(folder, { UPLOAD_MAX_SIZE: '2 GB' });
    const url = `${service.uploads}${path}`;
    await runClient(client, { url, uploads: 1, megabytes: 1 });
    const { residentBytes } = await service.usage();
    const bytes = await memoryGrowth(service, () => runClient(client, { url, uploads, megabytes }));
    await service.stop();
    console.log(
      `${path}, ${uploads} of ${megabytes} MB: ${toMb(residentBytes)} before, +${toMb(bytes)} at most`,
    );
  });
}

function toMb(bytes: number): string {
  return `${(bytes / MB).toFixed(0)} MB`;
}
