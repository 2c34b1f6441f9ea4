import { Counter, Gauge, type Registry } from 'prom-client';
import { AppError } from '../../domain/errors.ts';
import type { OperationalEvent } from '../../domain/operational-event.ts';
import type { ListingState } from '../../publishing/listing-state.ts';
import { addGauge } from './gauge.ts';

const STATES = ['ok', 'blocked', 'moved', 'changed', 'down'] as const;

/** Returns a function that counts refreshes by their outcome. */
export function countRefreshes(registry: Registry) {
  const refreshes = new Counter({
    name: 'tayang_refreshes_total',
    help: 'Crawls by this process, and peeks that failed, by how they ended.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  const peeks = new Counter({
    name: 'tayang_peeks_total',
    help: 'Good readings of page 1 between two crawls, by this process.',
    registers: [registry],
  });
  for (const outcome of STATES) refreshes.inc({ outcome }, 0);

  return (event: OperationalEvent): void => {
    if (event.type === 'refresh-finished') refreshes.inc({ outcome: 'ok' });
    if (event.type === 'peek-finished') peeks.inc();
    if (event.type === 'refresh-refused') refreshes.inc({ outcome: outcomeOf(event.error) });
  };
}

function outcomeOf(error: unknown): string {
  return error instanceof AppError ? error.code.replace('source-', '') : 'internal';
}

/** What the gauges of the listing are read from. */
export interface ListingGauges {
  state(): ListingState | undefined;
  /** Wall clock, ms since 1970. */
  now(): number;
}

/** Measures the state of the source, and the age and the size of the listing. */
export function measureListing(registry: Registry, { state, now }: ListingGauges): void {
  const registers = [registry];
  /** Infinity without a snapshot, so that every alert on the age fires. */
  const ageOf = (at: number | null | undefined) => (at == null ? Infinity : (now() - at) / 1_000);

  new Gauge({
    name: 'tayang_source_state',
    help: 'State of the source at the last attempt: 1 for that state, 0 for the others.',
    labelNames: ['state'] as const,
    registers,
    collect() {
      for (const name of STATES) this.set({ state: name }, state()?.source.state === name ? 1 : 0);
    },
  });
  addGauge(registry, 'tayang_snapshot_age_seconds', 'Time since the last good crawl.', () =>
    ageOf(state()?.snapshot && state()?.source.refreshedAt),
  );
  addGauge(registry, 'tayang_snapshot_unchanged_seconds', 'Time since the listing last changed.', () =>
    ageOf(state()?.snapshot?.changedAt),
  );
  new Gauge({
    name: 'tayang_entries',
    help: 'Entries served.',
    labelNames: ['list'] as const,
    registers,
    collect() {
      this.set({ list: 'ongoing' }, state()?.snapshot?.anime ?? 0);
      this.set({ list: 'scheduled' }, state()?.snapshot?.scheduled ?? 0);
    },
  });
  addGauge(
    registry,
    'tayang_cards_omitted',
    'Cards that the last good crawl could not read and left out.',
    () => state()?.source.omitted ?? 0,
  );
  addGauge(
    registry,
    'tayang_cards_kept_from_before',
    'Cards that the last good crawl could not read and whose earlier record is served.',
    () => state()?.source.keptFromBefore ?? 0,
  );
  addGauge(
    registry,
    'tayang_repaired_selectors',
    'Selectors that the last good crawl found anew because the markup of the source has changed.',
    () => state()?.source.repaired.length ?? 0,
  );
}

/** Measures the clients of the event stream. */
export function measureEventStream(registry: Registry, stream: { clients: number }): void {
  addGauge(
    registry,
    'tayang_event_clients',
    'Clients connected to the stream of events.',
    () => stream.clients,
  );
}
