import { listChanges, NOVELTIES, openSites } from './changes.ts';
import { isRight, type Result, shortcomings, sumUp } from './judge.ts';
import { runChange } from './run-change.ts';

/** Runs every change, or those whose name contains a given word. Exits 1 below the wanted shares. */
const [word = ''] = process.argv.slice(2);
const results: Result[] = [];
for (const { name: site, pages, whole } of await openSites()) {
  for (const change of listChanges(pages).filter(({ name, row }) => `${row}: ${name}`.includes(word))) {
    for (const novelty of NOVELTIES) {
      const outcome = await runChange(pages, whole, change, novelty);
      const result = { site, change, novelty, outcome };
      results.push(result);
      if (isRight(result) && !word) continue;
      const verdict = isRight(result) ? 'right' : 'WRONG';
      console.log(
        `${verdict}  ${site}, ${change.row}: ${change.name}, ${novelty.name}: ${outcome.result} ${outcome.reason}`,
      );
    }
  }
}

const short = shortcomings(results);
console.log(`${results.length} runs. ${sumUp(results)}. ${short.join('; ') || 'All shares are as wanted.'}`);
process.exitCode = short.length > 0 ? 1 : 0;
