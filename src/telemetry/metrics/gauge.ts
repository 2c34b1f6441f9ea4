import { Gauge, type Registry } from 'prom-client';

/** Adds a gauge without labels to a registry. `read` is called at each scrape; where it fails, the value is NaN. */
export function addGauge(
  registry: Registry,
  name: string,
  help: string,
  read: () => number | Promise<number>,
): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      // One gauge that fails must not fail the whole scrape.
      this.set(await Promise.try(read).catch(() => Number.NaN));
    },
  });
}
