/** `warning`: works, but not as well as it could or not for long. `problem`: does not work. */
export type Level = 'ok' | 'warning' | 'problem';

/** One line of the doctor's: what is right, or what is wrong and which variable or file mends it. */
export interface Finding {
  level: Level;
  text: string;
}

/** Looks at one thing, and says what it finds as it finds it. What it throws is a problem too. */
export interface Check {
  name: string;
  find(): AsyncIterable<Finding>;
}

export const ok = (text: string): Finding => ({ level: 'ok', text });
export const warning = (text: string): Finding => ({ level: 'warning', text });
export const problem = (text: string): Finding => ({ level: 'problem', text });
