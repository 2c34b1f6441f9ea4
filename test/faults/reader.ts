/** What a reader of the listing gets, compared with the listing before the fault. */
const PATHS = ['/api/anime/schedule', '/api/anime/home', '/api/anime/home?page=4'];
const PAUSE_MS = 300;

type Answer = Awaited<ReturnType<typeof readAll>>[number];
export type Reader = Awaited<ReturnType<typeof openReader>>;

/** Notes the current responses, which later ones are compared with. */
export async function openReader(address: string) {
  const expected = new Map((await readAll(address)).map((answer) => [answer.path, answer]));
  const differences = new Set<string>();

  /** Reads everything once, and says how the source is according to `Cache-Status`. */
  async function read(from: string): Promise<string> {
    const answers = await readAll(from);
    for (const answer of answers) compare(answer, expected.get(answer.path)!);
    return [...new Set(answers.map((answer) => answer.detail ?? 'nothing'))].join(' and ');
  }

  function compare(answer: Answer, before: Answer): void {
    if (answer.status !== 200) differences.add(`${answer.path} was answered with ${answer.status}`);
    if (answer.etag !== before.etag) differences.add(`${answer.path} had another ETag`);
    if (answer.body !== before.body) differences.add(`${answer.path} had another body`);
  }

  return {
    read,
    /** Reads again and again, until the function that is returned is called. */
    keepReading(from: string) {
      const stop = new AbortController();
      const ended = (async () => {
        while (!stop.signal.aborted) {
          await read(from);
          await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        }
      })();
      return () => {
        stop.abort();
        return ended;
      };
    },
    /** What was not as before, in words. */
    differences: () => [...differences],
  };
}

function readAll(address: string) {
  return Promise.all(
    PATHS.map(async (path) => {
      const response = await fetch(address + path);
      const { status, headers } = response;
      const [, detail] = /detail=(\w+)/u.exec(headers.get('cache-status') ?? '') ?? [];
      return { path, status, etag: headers.get('etag'), body: await response.text(), detail };
    }),
  );
}
