/** What a PromQL expression selects: the name of a metric, and the labels that the expression needs it to have. */
interface Selection {
  name: string;
  labels: string[];
}

/** Prometheus adds them to every metric; `le` is the bound of a bucket. */
const ADDED = ['instance', 'job', 'le'];
const METRIC = /\b((?:tayang|process|nodejs)_\w+)(?:\{([^}]*)\})?/gu;

/** The metrics that an expression selects, each with the labels that it is selected by. */
export function readSelections(expression: string): Selection[] {
  return [...expression.matchAll(METRIC)].map(([, name = '', matchers = '']) => ({
    name,
    labels: [...matchers.matchAll(/(\w+)\s*[=!]/gu)].map(([, label = '']) => label).filter(isOwn),
  }));
}

/** The labels that an expression groups by, or that a text shows: `{{ $labels.state }}`, `{{state}}`. */
export function readGroupings(expression: string, text = ''): string[] {
  const lists = [...expression.matchAll(/\bby \(([^)]*)\)/gu)].flatMap(([, list = '']) =>
    list.split(/\s*,\s*/u),
  );
  const shown = [...text.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/gu)].map(([, label = '']) => label);
  return [...lists, ...shown].filter(isOwn);
}

const isOwn = (label: string): boolean => !ADDED.includes(label);
