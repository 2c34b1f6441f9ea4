import { lies } from './rows/lies.ts';
import { testFaults } from './test-faults.ts';

testFaults('readers never notice a page that lies', lies);
