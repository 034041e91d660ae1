/** A sentence written by us about a passage of an installed package. The passage itself is read when the test runs. */
export interface PlantedCase {
  readonly package: string
  readonly file: string
  /** A few words that locate the passage. */
  readonly find: string
  readonly sentence: string
  readonly supported: boolean
  /** What was done to it; for the false ones, the fault planted. */
  readonly kind:
    | 'paraphrase'
    | 'number'
    | 'negation'
    | 'entity'
    | 'overstated'
    | 'direction'
    | 'roles'
    | 'condition'
}

type Row = readonly [find: string, kind: PlantedCase['kind'], sentence: string]

/** Cases of one file; what is not a paraphrase is false. */
export const casesOf = (name: string, file: string, rows: readonly Row[]): PlantedCase[] =>
  rows.map(([find, kind, sentence]) => ({
    package: name,
    file,
    find,
    sentence,
    supported: kind === 'paraphrase',
    kind,
  }))
