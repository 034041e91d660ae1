/** A whole conversation of stub agents against the same in Strands and in LangGraph.js, each in its own process. */
import { type Contestant, type ContestantName, contestant, install } from './contestants.ts'
import { alternate, type Figure, type Rounds, ratios } from './measure.ts'

const TURNS = 10_000

/** Runs contestants in turns; what each round of each took, in ms. */
const compete = async <Name extends ContestantName>(
  names: readonly Name[],
  rounds: Omit<Rounds, 'warmUps'>,
): Promise<Record<Name, readonly number[]>> => {
  const started = new Map<Name, Contestant>()
  try {
    for (const name of names) {
      const each = await contestant(name)
      started.set(name, each)
      await each.warmUp()
    }
    const sides = Object.fromEntries([...started].map(([name, { run }]) => [name, () => run(TURNS)]))
    return await alternate(sides as Record<Name, () => Promise<number>>, { ...rounds, warmUps: 0 })
  } finally {
    for (const each of started.values()) each.stop()
  }
}

/** How many times as fast as a rival a side is. */
const against = (rival: string, values: readonly number[]): Figure => ({
  name: `convene / ${rival}`,
  unit: '×',
  wanted: { atLeast: 10 },
  values,
})

const turn = (name: string, took: readonly number[]): Figure => ({
  name: `${name}, a turn`,
  unit: 'µs',
  wanted: null,
  values: took.map((ms) => (ms / TURNS) * 1_000),
})

const STRANDS = 'Strands, as documented'
const LANGGRAPH = 'LangGraph.js, as documented'
const FASTEST_STRANDS = 'Strands, at its fastest'
const FASTEST_LANGGRAPH = 'LangGraph.js, at its fastest'

const notMeasured = (note: string, ...names: string[]): Figure[] =>
  names.map((name) => ({ ...against(name, []), note }))

export const documented = async (): Promise<Figure[]> => {
  const missing = install()
  if (missing !== null) return notMeasured(missing, STRANDS, LANGGRAPH)
  const { colloquy, strands, langgraph } = await compete(['colloquy', 'strands', 'langgraph'], { rounds: 3 })
  return [
    against(STRANDS, ratios(strands, colloquy)),
    against(LANGGRAPH, ratios(langgraph, colloquy)),
    turn(STRANDS, strands),
    turn(LANGGRAPH, langgraph),
  ]
}

export const fastest = async (): Promise<Figure[]> => {
  const missing = install()
  if (missing !== null) return notMeasured(missing, FASTEST_STRANDS, FASTEST_LANGGRAPH)
  const one = await compete(['colloquy', 'colloquy, text', 'strands, fastest'], { rounds: 7, tries: 3 })
  const other = await compete(['colloquy', 'langgraph, fastest'], { rounds: 3 })
  const text = ratios(one['strands, fastest'], one['colloquy, text'])
  return [
    against(FASTEST_STRANDS, ratios(one['strands, fastest'], one.colloquy)),
    against(FASTEST_LANGGRAPH, ratios(other['langgraph, fastest'], other.colloquy)),
    { ...against(FASTEST_STRANDS, text), name: `convene with plain text / ${FASTEST_STRANDS}`, wanted: null },
    turn('convene', one.colloquy),
    turn('convene with plain text', one['colloquy, text']),
    turn(FASTEST_STRANDS, one['strands, fastest']),
    turn(FASTEST_LANGGRAPH, other['langgraph, fastest']),
  ]
}
