/** A step of a Dockerfile: its instruction, and the rest with continued lines joined. */
export interface Step {
  word: string;
  rest: string;
}

/** The steps of each stage, by its name; the last stage is `''`. Enough for a Dockerfile without heredocs. */
export function readDockerfile(text: string): Map<string, Step[]> {
  const stages = new Map<string, Step[]>();
  let steps: Step[] = [];
  const lines = text.replaceAll('\\\n', ' ').split('\n');
  for (const line of lines.filter((written) => written && !written.startsWith('#'))) {
    const [, word = '', rest = ''] = /^(\w+)\s+(.*)$/u.exec(line) ?? [];
    if (word === 'FROM') {
      steps = [];
      stages.set(/ AS (\w+)$/u.exec(rest)?.[1] ?? '', steps);
    } else steps.push({ word, rest });
  }
  return stages;
}

/** Returns the only step with this instruction. Throws when there is none, or more than one. */
export function onlyStep(steps: readonly Step[], word: string): string {
  const found = steps.filter((step) => step.word === word);
  if (found.length !== 1) throw new Error(`${found.length} steps are ${word}`);
  return found[0]!.rest;
}

/** `A=1 B=2` → an environment. */
export function readEnv(rest: string): Record<string, string> {
  return Object.fromEntries(rest.split(' ').map((pair) => pair.split('=') as [string, string]));
}
