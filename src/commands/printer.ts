/** Where a command prints to. */
export interface Printer {
  print(text: string): void;
  printError(text: string): void;
  /** The cells of a line; undefined where lines have no limit. */
  readonly columns?: number | undefined;
}

export const CONSOLE: Printer = {
  print: console.log,
  printError: console.error,
  get columns() {
    return process.stdout.columns;
  },
};
