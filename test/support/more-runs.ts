/** The factor for the number of generated cases in property tests; for example `TEST_RUNS=20 npm test`. */
export const MORE = Number(process.env.TEST_RUNS ?? 1);
