import { networkFaults } from './rows/network.ts';
import { testFaults } from './test-faults.ts';

testFaults('readers never notice a network that fails', networkFaults);
