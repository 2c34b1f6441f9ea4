/** Where a command prints to. */
export interface Printer {
  print(text: string): void;
  printError(text: string): void;
}

export const CONSOLE: Printer = { print: console.log, printError: console.error };
