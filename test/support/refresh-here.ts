import { readConfig } from '../../src/app/config.ts';
import { refreshOnce } from '../../src/commands/refresh.ts';

/** What `npm run refresh` does, in this process: to start another one takes far longer than the refresh. */
export async function refreshHere(environment: Record<string, string>, force = false) {
  const lines: string[] = [];
  const print = (text: string) => void lines.push(text);
  const progress = { show: () => {}, print, end: () => {} };
  const request = { force, signal: new AbortController().signal };
  const printer = { progress, print, printError: print };
  const exitCode = await refreshOnce(readConfig(environment, '0.0.0'), request, printer);
  return { exitCode, output: lines.join('\n') };
}
