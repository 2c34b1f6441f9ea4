import { pageFaults } from './rows/pages.ts';
import { testFaults } from './test-faults.ts';

testFaults('readers never notice a page that is wrong', pageFaults);
