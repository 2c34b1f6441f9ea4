import fc from 'fast-check';

/** Longer inputs take time and find nothing that shorter ones do not. */
const MAX_BYTES = 32_000;
const MAX_CHANGES = 6;

/** One of the seeds, changed in a few places. Its text is in Latin-1, which has every byte. */
export interface Mutated {
  /** The number of the seed. */
  seed: number;
  changes: Change[];
}

interface Change {
  /** Where it is made; beyond the end, it is made so much behind the start. */
  at: number;
  /** How many bytes are replaced, or the text that is: the first one from there on. */
  replaced: number | string;
  by: string;
}

/** What a reader reads: whole inputs, and texts with a meaning for it. */
export interface Corpus {
  seeds: readonly Buffer[];
  tokens: readonly string[];
}

export function mutationsOf({ seeds, tokens }: Corpus): fc.Arbitrary<Mutated> {
  const token = fc.constantFrom(...tokens.map((one) => Buffer.from(one).toString('latin1')));
  // The beginning is no better place than any other.
  const place = fc.noBias(fc.nat(MAX_BYTES));
  const few = fc.oneof(fc.constant(0), fc.noBias(fc.nat(3)), fc.noBias(fc.nat(200)));
  const piece = fc
    .record({ seed: fc.constantFrom(...seeds), at: place, length: fc.noBias(fc.nat(200)) })
    .map(({ seed, at, length }) =>
      seed
        .toString('latin1')
        .slice(at % seed.length)
        .slice(0, length),
    );
  const bytes = fc.uint8Array({ maxLength: 3 }).map((some) => Buffer.from(some).toString('latin1'));
  const change = fc.record({
    at: place,
    replaced: fc.oneof(
      { weight: 30, arbitrary: few },
      { weight: 10, arbitrary: token },
      { weight: 1, arbitrary: fc.constant(MAX_BYTES) },
    ),
    by: fc.oneof({ weight: 2, arbitrary: token }, piece, bytes, fc.constant('')),
  });
  return fc.record({
    seed: fc.nat(seeds.length - 1),
    changes: fc.oneof(
      change.map((one) => [one]),
      fc.array(change, { maxLength: MAX_CHANGES }),
    ),
  });
}

/** Every seed as it is. */
export function originalsOf({ seeds }: Corpus): Mutated[] {
  return seeds.map((_, seed) => ({ seed, changes: [] }));
}

/** The input after its changes. */
export function apply({ seed, changes }: Mutated, { seeds }: Corpus): Buffer {
  let text = (seeds[seed] ?? Buffer.alloc(0)).toString('latin1');
  for (const { at, replaced, by } of changes) {
    const from = at % (text.length + 1);
    const found = typeof replaced === 'string' ? text.indexOf(replaced, from) : -1;
    const length = typeof replaced === 'string' ? replaced.length : replaced;
    const start = found === -1 ? from : found;
    text = text.slice(0, start) + by + text.slice(start + length);
  }
  return Buffer.from(text.slice(0, MAX_BYTES), 'latin1');
}
