import type { SourceFault } from './fault.ts';
import type { ServiceOutcome } from './run-in-service.ts';

export interface Row {
  fault: SourceFault;
  outcome: ServiceOutcome;
  shortcomings: string[];
}

const HEAD = ['fault', 'the source', 'the reader got', 'the operator sees', 'recovered', 'took'];

/** `docs/faults.md`: fault by fault what came of it. */
export function renderTable(rows: readonly Row[], timeoutMs: number): string {
  const answers = rows.reduce((sum, { outcome }) => sum + outcome.answers, 0);
  const longest = Math.max(...rows.map(({ outcome }) => outcome.attemptMs));
  const holding = rows.filter(({ shortcomings }) => shortcomings.length === 0).length;
  const lines = [HEAD, HEAD.map(() => '---'), ...rows.map(cellsOf)].map(
    (cells) => `| ${cells.join(' | ')} |`,
  );
  return `# When the source goes wrong

Made by \`npm run faults\`; every figure was measured by that run. \`npm run test:system\` holds the service to the same rows.

For each row a service with a good snapshot and a timer of one second is started, then the sample source site goes
wrong. Readers go on reading all the while. Once the first attempt under the fault has ended (or as many as the row
says), the fault ends and the timer has to recover by itself. Then the fault begins again: \`npm run refresh\` meets
it, as a process of its own, and a service is started while it lasts.

- **the reader got**: \`Cache-Status\` under the fault, with the status, the \`ETag\` and the body of before.
- **the operator sees**: the reason in \`/readyz\`, which the command prints too; where the crawl copes with the
  fault, what the log says of it. Ports are written PORT.
- **recovered**: from the end of the fault to the end of the first good crawl, by the timer alone.
- **took**: the longest attempt of the service's, then the whole command, at \`SOURCE_TIMEOUT=${timeoutMs / 1_000}s\`.

${holding} of ${rows.length} rows hold. ${answers} answers were read; the longest attempt took ${seconds(longest)}.

${lines.join('\n')}
`;
}

function cellsOf({ fault, outcome, shortcomings }: Row): string[] {
  return [
    fault.name,
    fault.does,
    shortcomings.length > 0
      ? `**does not hold**: ${shortcomings.join('; ')}`
      : `200, same \`ETag\`, \`detail=${outcome.detail}\``,
    reasonShown(fault, outcome),
    recoveryOf(fault, outcome),
    `${seconds(outcome.attemptMs)}, ${seconds(outcome.command.tookMs)}`,
  ].map((cell) =>
    cell
      .replace(/127\.0\.0\.1:\d+|example:\d+/gu, withoutPort)
      .replaceAll('|', '\\|')
      .replace(/\n+/gu, ' '),
  );
}

function reasonShown(
  { expectedReason }: SourceFault,
  { state, reason, command, troubles }: ServiceOutcome,
): string {
  if (state !== 'ok') return `${state}, exit ${command.exitCode}: ${reason}`;
  const line = expectedReason && troubles.find((trouble) => expectedReason.test(trouble));
  return `ok, exit ${command.exitCode}${line ? `: ${line}` : ''}`;
}

function recoveryOf(
  { retryAfterMs }: SourceFault,
  { detail, recoveryMs, pauseMs, failures }: ServiceOutcome,
): string {
  if (detail === 'ok') return 'nothing to recover from';
  const why = retryAfterMs ? ', as the source asked' : failures > 1 ? `, after ${failures} failures` : '';
  return `${seconds(recoveryMs)}, at the first attempt, which came ${seconds(pauseMs)} after the failed one${why}`;
}

function withoutPort(address: string): string {
  return address.replace(/\d+$/u, 'PORT');
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
