/** Several searches as one: what a check found from each opening is what it found from all. */
import type { Bound, CheckReport, Problem } from './report.ts'
import { compare } from './search.ts'

/** The worst last. */
const VERDICTS: readonly CheckReport['verdict'][] = ['proved', 'unproved', 'refuted']

/** The larger of two bounds. None is more than any; then the one that shows how there comes to be none. */
const larger = (a: Bound, b: Bound): Bound => {
  if (a.most !== null && b.most !== null) return b.most > a.most ? b : a
  if (a.most === null && b.most === null) return a.record === null ? b : a
  return a.most === null ? a : b
}

const inAll = (lists: readonly (readonly string[])[]): readonly string[] =>
  (lists[0] ?? []).filter((item) => lists.every((list) => list.includes(item)))

const inAny = (lists: readonly (readonly string[])[]): readonly string[] => [...new Set(lists.flat())]

/** What several searches stumbled over alike is told once. */
const distinct = (problems: readonly Problem[]): readonly Problem[] =>
  problems.filter(
    ({ message }, index) => problems.findIndex((problem) => problem.message === message) === index,
  )

/**
 * Merges reports of the same protocol, policy and scope that differ in who leads.
 * @param ms what it took to have all of them
 */
export const merged = (reports: readonly [CheckReport, ...CheckReport[]], ms: number): CheckReport => {
  const [first] = reports
  const verdict = Math.max(...reports.map((report) => VERDICTS.indexOf(report.verdict)))
  const formulas = reports.map(({ formula }) => formula).filter((formula) => formula !== null)
  const sum = (of: (report: CheckReport) => number): number =>
    reports.reduce((total, report) => total + of(report), 0)
  return {
    ...first,
    verdict: VERDICTS[verdict] ?? first.verdict,
    problems: distinct(reports.flatMap(({ problems }) => problems)),
    counterexample: reports.find(({ counterexample }) => counterexample !== null)?.counterexample ?? null,
    turns: reports.map(({ turns }) => turns).reduce(larger),
    messages: reports.map(({ messages }) => messages).reduce(larger),
    ms: reports.map((report) => report.ms).reduce(larger),
    formula: formulas.length === reports.length ? Math.max(...formulas) : null,
    unreachableStates: inAll(reports.map(({ unreachableStates }) => unreachableStates)),
    unreachableTransitions: inAll(reports.map(({ unreachableTransitions }) => unreachableTransitions)),
    unusedIntents: inAll(reports.map(({ unusedIntents }) => unusedIntents)),
    statesWithoutDueTime: inAny(reports.map(({ statesWithoutDueTime }) => statesWithoutDueTime)),
    rank: {
      events: sum(({ rank }) => rank.events),
      // Where it was looked at nowhere, it says nothing.
      holds:
        reports.some(({ rank }) => rank.holds) &&
        reports.every(({ rank }) => rank.holds || rank.events === 0),
      opening: reports.map(({ rank }) => rank.opening).reduce((a, b) => (compare(b, a) > 0 ? b : a)),
    },
    explored: {
      states: sum(({ explored }) => explored.states),
      steps: sum(({ explored }) => explored.steps),
      ms,
    },
  }
}
