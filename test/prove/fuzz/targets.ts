import type { Target } from './fuzz.ts';
import { multipart } from './multipart.ts';
import { pages } from './pages.ts';

export type TargetName = 'multipart' | 'pages';

export const TARGETS: Record<TargetName, Target> = { multipart, pages };
