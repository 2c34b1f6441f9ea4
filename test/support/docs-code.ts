import type { ApiDescription, Code } from '../../src/pages/api-description.ts';

/** What the page of the API shows as code. */

/** All code on the page at this origin, as somebody copies it; it is the same in each language. */
export async function codeOn(origin: string): Promise<string[]> {
  const page = await (await fetch(`${origin}/docs?lang=en`)).text();
  return [...page.matchAll(/<pre[^>]*>(.*?)<\/pre>/gsu)].map(([, code = '']) => unescapeHtml(code));
}

/** The code of a task, and the lines that run it where it has some. */
export async function taskOn(origin: string, task: string): Promise<{ source: string; run: string }> {
  const page = await (await fetch(`${origin}/docs?lang=en`)).text();
  const [, after = ''] = page.split(`id="task-${task}"`);
  const own = after.slice(0, after.search(/<\/details>|<\/section>/u));
  const [source = '', run = ''] = [...own.matchAll(/<pre[^>]*>(.*?)<\/pre>/gsu)].map(([, code = '']) =>
    unescapeHtml(code).trim(),
  );
  return { source, run };
}

/** Every task with code of the description, by its name; programs in several languages each by their own. */
export function tasksOf(api: ApiDescription): Map<string, Code> {
  const tasks = new Map<string, Code>();
  for (const [name, task] of Object.entries(api['x-tasks'])) {
    if (task.source !== undefined) tasks.set(name, { ...task, source: task.source });
    for (const [name, variant] of Object.entries(task.variants ?? {})) tasks.set(name, variant);
  }
  return tasks;
}

function unescapeHtml(code: string): string {
  return code
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
}
