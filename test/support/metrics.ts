import { createRequire } from 'node:module';

/** A family of metrics, as an independent parser reads it. */
export interface Family {
  name: string;
  type: string;
  metrics: { value: string; labels?: Record<string, string> }[];
}

/** The parser merges histograms with different labels. Without the type it reads each line as it is. */
const HISTOGRAM = /^# TYPE \S+ histogram$/gmu;

const parse = createRequire(import.meta.url)('parse-prometheus-text-format') as (text: string) => Family[];

/** Reads the current metrics as Prometheus would. */
export async function scrape(operations: string | null) {
  const response = await fetch(`${operations}/metrics`);
  if (response.status !== 200) throw new Error(`answered ${response.status}`);
  const families = parse((await response.text()).replace(HISTOGRAM, ''));

  return {
    contentType: response.headers.get('content-type'),
    families,
    /** The sample with this name and these labels; undefined when there is none. */
    sample(name: string, labels: Record<string, string> = {}): number | undefined {
      const family = families.find((candidate) => candidate.name === name);
      const found = family?.metrics.find((metric) =>
        Object.entries(labels).every(([label, value]) => metric.labels?.[label] === value),
      );
      return found && Number(found.value.replace('Inf', 'Infinity'));
    },
  };
}
