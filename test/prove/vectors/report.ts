/** A case of any kind, as far as a report needs it. */
interface ReportedCase {
  name: string;
  /** Why another program's own test expects something else. */
  differs?: string;
}

/** Cases by the program whose tests they are from. */
type CaseGroups = Record<string, readonly ReportedCase[]>;

/** Renders how many cases there are of each group, and how many of them expect something else than their origin. */
export function renderCounts(groups: CaseGroups): string {
  const rows = Object.entries(groups).map(([name, cases]) => {
    const differing = cases.filter(({ differs }) => differs !== undefined);
    return `| ${name} | ${cases.length} | ${differing.length} |`;
  });
  return ['| cases after | cases | differ |', '|---|---|---|', ...rows, ''].join('\n');
}

/** Renders the reasons why cases differ from their origin, each with its cases. */
export function renderDifferences(groups: CaseGroups): string {
  const casesByReason = new Map<string, string[]>();
  for (const [group, cases] of Object.entries(groups))
    for (const { name, differs } of cases)
      if (differs) casesByReason.set(differs, [...(casesByReason.get(differs) ?? []), `${group}: ${name}`]);
  const rows = [...casesByReason].map(([reason, names]) => `| ${names.join('; ')} | ${reason} |`);
  return ['| cases | what the other program does, and why not here |', '|---|---|', ...rows, ''].join('\n');
}

/** Runs an action for every item, some at once; resolves with the results in order. */
export async function runAll<Item, Result>(
  items: Iterable<Item>,
  atOnce: number,
  action: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = [...items].entries();
  const work = async () => {
    for (const [index, item] of queue) results[index] = await action(item);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}
