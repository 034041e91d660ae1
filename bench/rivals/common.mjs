import { existsSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The four stub agents, in the order in which they take turns. */
export const members = ['ada', 'bo', 'cy', 'dee']

/** What every stub agent says, every time. */
export const text = 'ok'

/** Turns run, on a conversation of its own, before each measured one. */
export const warmUpTurns = 500

/**
 * The member that takes the turn after `member`.
 * @param {string} member
 * @returns {string}
 */
export const after = (member) => members[(members.indexOf(member) + 1) % members.length]

/**
 * Throws unless exactly `turns` turns happened, each taken by the member whose turn it was.
 * @param {readonly (string | undefined)[]} speakers who took each turn, in order
 * @param {number} calls how often a stub agent was asked
 * @param {number} turns
 */
export const checkTurns = (speakers, calls, turns) => {
  if (calls !== turns) throw new Error(`Agents were asked ${calls} times, not ${turns}`)
  if (speakers.length !== turns) throw new Error(`${speakers.length} turns happened, not ${turns}`)
  const wrong = speakers.findIndex((speaker, index) => speaker !== members[index % members.length])
  if (wrong !== -1) throw new Error(`Turn ${wrong + 1} was taken by ${speakers[wrong]}`)
}

/**
 * Makes a runner: a conversation is built and run to warm up, then a second one is built, timed and checked.
 * Building is not timed, nor is the check.
 * @param {(turns: number) => { talk: () => Promise<unknown>, check: (outcome: unknown) => void }} build
 * @returns {(turns: number) => Promise<{ turns: number, ms: number }>}
 */
export const runner = (build) => async (turns) => {
  if (!Number.isSafeInteger(turns) || turns < 1) throw new Error('Turns must be a whole number above 0')
  const warmUp = build(warmUpTurns)
  warmUp.check(await warmUp.talk())
  const { talk, check } = build(turns)
  const start = performance.now()
  const outcome = await talk()
  const ms = performance.now() - start
  check(outcome)
  return { turns, ms }
}

/**
 * When the module at `url` is the program that was started, runs each of its variants
 * and prints what they took as JSON.
 * @param {string} url
 * @param {readonly { name: string, run: (turns: number) => Promise<{ turns: number, ms: number }> }[]} variants
 */
export const printIfStarted = async (url, variants) => {
  const [, program, turns = '1000'] = process.argv
  if (!program || !existsSync(program) || realpathSync(program) !== fileURLToPath(url)) return
  const results = []
  for (const { name, run } of variants) results.push({ name, ...(await run(Number(turns))) })
  console.log(JSON.stringify({ node: process.version, results }, null, 2))
}
