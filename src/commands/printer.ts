const BAR_WIDTH = 24;
const CLEAR_LINE = '\r\x1b[K';

/** Prints the progress of a refresh. */
export interface Progress {
  /** `total` is undefined while it is unknown. */
  show(page: string, done: number, total: number | undefined): void;
  /** Prints a line above the bar. */
  print(line: string): void;
  /** Removes the bar. */
  end(): void;
}

/** Shows a bar on a terminal, and prints a line for each page elsewhere. */
export function createProgress(stream: NodeJS.WriteStream): Progress {
  if (!stream.isTTY) {
    const print = (line: string) => void stream.write(`${line}\n`);
    return {
      print,
      show: (page, done, total) => print(`read ${page} (${total === undefined ? done : `${done}/${total}`})`),
      end: () => {},
    };
  }
  let bar = '';
  return {
    show(page, done, total) {
      bar = total === undefined ? `read ${page}` : `${drawBar(done / total)} ${done}/${total} ${page}`;
      // A bar wrapped over two lines could not be cleared. Some terminals report no columns.
      bar = bar.slice(0, stream.columns > 0 ? stream.columns - 1 : undefined);
      stream.write(`${CLEAR_LINE}${bar}`);
    },
    print: (line) => void stream.write(`${CLEAR_LINE}${line}\n${bar}`),
    end() {
      stream.write(CLEAR_LINE);
      bar = '';
    },
  };
}

function drawBar(share: number): string {
  const filled = Math.round(BAR_WIDTH * Math.min(1, share));
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`;
}

/** Where a command prints. */
export interface Printer {
  print(text: string): void;
  printError(text: string): void;
}

/** Ends a message with one full stop; those of libraries may have one already. */
export function endSentence(text: string): string {
  return text.replace(/\.*$/u, '.');
}

export const CONSOLE: Printer = { print: console.log, printError: console.error };
