const BAR_WIDTH = 24;
const CLEAR_LINE = '\r\x1b[K';

export interface Progress {
  show(page: string, done: number, total: number | undefined): void;
  /** Prints a line above the bar. */
  say(line: string): void;
  end(): void;
}

/** A bar on a terminal, a plain line for each step on a pipe. */
export function createProgress(stream: NodeJS.WriteStream): Progress {
  if (!stream.isTTY) {
    const say = (line: string) => void stream.write(`${line}\n`);
    return { say, show: (page, done, total) => say(`read ${page} (${done}/${total ?? '?'})`), end: () => {} };
  }
  let bar = '';
  return {
    show(page, done, total = done * 2) {
      const filled = Math.round((BAR_WIDTH * Math.min(done, total)) / total);
      bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ${done}/${total} ${page}`;
      stream.write(`${CLEAR_LINE}${bar}`);
    },
    say: (line) => void stream.write(`${CLEAR_LINE}${line}\n${bar}`),
    end() {
      stream.write(CLEAR_LINE);
      bar = '';
    },
  };
}
