import { moves } from './rows/moves.ts';
import { testFaults } from './test-faults.ts';

testFaults('readers never notice a host that moves', moves);
