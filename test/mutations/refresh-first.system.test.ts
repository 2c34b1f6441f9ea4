import { proveRefresh } from './prove-refresh.ts';

await proveRefresh(false);
