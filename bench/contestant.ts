/**
 * One side of the comparison with other libraries, in a process of its own: runs its conversation each time it is told
 * to, and says how many ms that took. Started with a contestant's name.
 */
import { type Answer, type Convened, convene, type Outcome } from '../src/index.ts'
import { type ContestantName, type Contestants, type Order, rivals } from './contestants.ts'

type Runner = (turns: number) => Promise<{ readonly turns: number; readonly ms: number }>

/** What bench/rivals has for all sides: the members, and how a run is warmed up, timed and checked. */
interface Common {
  readonly members: readonly string[]
  readonly text: string
  readonly checkTurns: (speakers: readonly (string | undefined)[], calls: number, turns: number) => void
  readonly runner: <Talked>(
    build: (turns: number) => { talk: () => Promise<Talked>; check: (talked: Talked) => void },
  ) => Runner
}
interface Rival {
  readonly run: Runner
  readonly runFastest: Runner
}

const load = async <Module>(file: string): Promise<Module> =>
  (await import(new URL(file, rivals).href)) as Module

/** Our side: four stub agents talk in turn until the limit of the discussion. */
const colloquy = ({ members, checkTurns, runner }: Common, answer: Answer): Runner =>
  runner((turns) => {
    let calls = 0
    const stub = (): Answer => {
      calls++
      return answer
    }
    return {
      talk: () =>
        convene({
          goal: 'go',
          // A function each, as each agent would be.
          agents: Object.fromEntries(members.map((member) => [member, () => stub()])),
          policy: { turnUnit: 'message', turnLimit: { discussion: turns } },
        }),
      check: ({ outcome, record }: Convened<Outcome>) => {
        const said = record.flatMap((event) => (event.type === 'message' ? [event.message] : []))
        const speakers = said.map((message) => (message as { from: string }).from)
        checkTurns(speakers, calls, turns)
        if (outcome.turns !== turns || outcome.status !== 'timeout' || outcome.cause !== 'turns')
          throw new Error(`Ended as ${JSON.stringify(outcome)}`)
      },
    }
  })

const contestants: Contestants<() => Promise<Runner>> = {
  colloquy: async () => {
    const common = await load<Common>('common.mjs')
    return colloquy(common, { intent: 'info', content: common.text })
  },
  'colloquy, text': async () => {
    const common = await load<Common>('common.mjs')
    return colloquy(common, `[info] ${common.text}`)
  },
  strands: async () => (await load<Rival>('strands.mjs')).run,
  'strands, fastest': async () => (await load<Rival>('strands.mjs')).runFastest,
  langgraph: async () => (await load<Rival>('langgraph.mjs')).run,
  'langgraph, fastest': async () => (await load<Rival>('langgraph.mjs')).runFastest,
}

const run = await contestants[process.argv[2] as ContestantName]()

/** All sides warm up for as long, whatever they get done in it. */
const warmUp = async (forMs: number): Promise<void> => {
  const end = performance.now() + forMs
  while (performance.now() < end) await run(1_000)
}

process.on('message', ({ turns, warmUpMs }: Order) => {
  const done = turns === undefined ? warmUp(warmUpMs ?? 0).then(() => 0) : run(turns).then(({ ms }) => ms)
  void done.then((ms) => process.send?.(ms))
})
process.send?.('ready')
