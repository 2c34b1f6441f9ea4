import type { Config } from './config.ts';
import type { Report } from './domain/report.ts';
import { timeFormatter } from './domain/units.ts';
import type { HttpServer } from './http/server.ts';
import { createUploadApp } from './http/upload-app.ts';
import { uploadDocuments } from './http/upload-documents.ts';
import { openUploadJob } from './open-uploads.ts';
import { siteFiles, UPLOAD_ROBOTS } from './publishing/site-files.ts';
import { GRACE_MS, type Shared, type Started } from './started.ts';
import type { Metrics } from './telemetry/metrics.ts';

/** Starts the uploads, on an origin of their own. */
export async function startUploads(
  config: Config,
  { assets, described }: Shared,
  server: HttpServer,
  report: Report,
  metrics: Metrics | undefined,
): Promise<Started> {
  const { url: configuredUrl, ...limits } = config.upload;
  const url = configuredUrl ?? `http://localhost:${server.port}`;
  const job = await openUploadJob(config, report);
  const files = await siteFiles(assets, UPLOAD_ROBOTS, Date.now());
  const documents = await uploadDocuments({ url, ...limits, assets: files, now: Date.now });
  const formatTime = timeFormatter(config.timeZone);
  metrics?.watchStorage(job.usage);
  const tally = metrics?.tally('uploads');
  const shown = { documents, described, url, formatTime, now: Date.now };
  server.serve(createUploadApp({ ...job, ...limits, ...shown, report, tally }).callback());

  return {
    address: server.address,
    url,
    async stop() {
      await server.close(GRACE_MS);
      await job.close();
    },
  };
}
