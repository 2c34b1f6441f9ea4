/** How many times as many cases the tests try that make cases up: `TEST_RUNS=20 npm test` is for a night. */
export const MORE = Number(process.env.TEST_RUNS ?? 1);
