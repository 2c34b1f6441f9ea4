import { refusals } from './rows/refusals.ts';
import { testFaults } from './test-faults.ts';

testFaults('readers never notice a source that refuses', refusals);
