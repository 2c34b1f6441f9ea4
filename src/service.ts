import type { Config } from './config.ts';
import { changedAt, countScheduled, type Snapshot } from './domain/listing.ts';
import type { Report } from './domain/report.ts';
import { createListingApp } from './http/listing-app.ts';
import { openServer } from './http/server.ts';
import { followStore } from './listing/follow-store.ts';
import { keepFresh } from './listing/keep-fresh.ts';
import { openListingJob } from './open-listing.ts';
import { type Edition, renderEdition } from './publishing/edition.ts';

/** How long what is in flight may take to finish when the service stops. */
const GRACE_MS = 30_000;

export interface Service {
  /** Where the listing is bound: `http://ADDRESS:PORT`. */
  address: string;
  /** Stops accepting, finishes what is in flight, then lets go of everything. */
  stop(): Promise<void>;
}

/** The composition root: opens the adapters, wires the jobs, starts them. Throws when something cannot be opened. */
export async function startService(config: Config, report: Report): Promise<Service> {
  const job = await openListingJob(config, report);
  let edition: Edition | undefined;

  const view = await followStore({ store: job.store, report, onSnapshot: publish });
  if (!edition) report({ type: 'snapshot-absent' });
  const keeper = keepFresh({ refresh: job.refresh, timer: job.timer, view, report, now: Date.now });

  const app = createListingApp(
    {
      edition: () => edition,
      snapshot: view.snapshot,
      status: view.status,
      freshness: () => ({ state: view.status().state, dueAt: keeper.dueAt() }),
      nextAttempt: keeper.nextAttempt,
      now: Date.now,
    },
    report,
  );
  const server = await openServer(app.callback(), config.host, config.port);
  report({ type: 'listening', origin: 'listing', address: server.address });

  async function publish(snapshot: Snapshot): Promise<void> {
    edition = await renderEdition(snapshot, edition);
    report({
      type: 'snapshot-loaded',
      anime: snapshot.ongoing.length,
      scheduled: countScheduled(snapshot.schedule),
      changedAt: changedAt(snapshot),
    });
  }

  return {
    address: server.address,
    async stop() {
      await Promise.all([server.close(GRACE_MS), keeper.stop()]);
      view.stop();
      await job.close();
    },
  };
}
