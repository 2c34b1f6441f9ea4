import { readRows } from './read-rows.ts';
import { testFaults } from './test-faults.ts';

testFaults('readers never notice a source that refuses', readRows('refusals'));
