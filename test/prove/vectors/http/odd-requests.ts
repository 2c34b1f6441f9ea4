import { BODIES, CHUNKS, CODINGS, LENGTHS } from './framing.ts';
import type { OddRequest } from './odd-request.ts';
import { LINES, VERSIONS } from './syntax.ts';
import { METHODS, TARGETS } from './targets.ts';

export const ODD_REQUESTS: OddRequest[] = [
  ...LENGTHS,
  ...CODINGS,
  ...CHUNKS,
  ...BODIES,
  ...LINES,
  ...VERSIONS,
  ...TARGETS,
  ...METHODS,
];
