/** How the conversations of a folder stand: what this process knows of them, and what the files beside the records say. */
import { access } from 'node:fs/promises'
import type { Answer } from '../../agents/agent.ts'
import { ColloquyError } from '../../errors.ts'
import type { Question } from '../../schema/question.ts'
import type { Snapshot } from '../../schema/snapshot.ts'
import type { Waiting } from '../common/leases.ts'
import { questionOf } from '../common/stored.ts'
import type { PendingQuestion } from '../journal.ts'
import { contentOf, createFile, removeFile } from './files.ts'
import { answerPlaceOf, placesIn, placesOf } from './places.ts'
import { readState, type State, writeState } from './state.ts'

export type Kept = ReturnType<typeof keptIn>

/** @param sync whether a write waits until the disk has it */
export const keptIn = (folder: string, sync: boolean) => {
  /** Open conversations that this process has looked at. */
  const states = new Map<string, State>()
  /** Those of them whose file is behind. */
  const unwritten = new Set<string>()
  /** Those whose file a disk has spoilt. */
  const unknown = new Set<string>()
  /** Questions with an answer. */
  const answered = new Set<string>()

  const of = async (conversation: string): Promise<State | null> =>
    states.get(conversation) ?? (await readState(placesOf(folder, conversation).state))?.state ?? null

  /** All that have a file. */
  const all = async (): Promise<readonly State[]> => {
    const found = await Promise.all((await placesIn(folder)).map(({ state }) => readState(state)))
    return found.flatMap((stored) => (stored === null ? [] : (states.get(stored.state.id) ?? stored.state)))
  }

  const write = async (state: State, snapshot?: Snapshot): Promise<void> => {
    await writeState(placesOf(folder, state.id).state, state, snapshot, sync)
    unwritten.delete(state.id)
  }

  const forgetAnswers = async (questions: readonly Question[]): Promise<void> => {
    for (const { id } of questions) {
      answered.delete(id)
      await removeFile(answerPlaceOf(folder, id))
    }
  }

  return {
    of,
    all,
    write,
    /** Whatever is known is looked up again. */
    forget(conversation: string): void {
      states.delete(conversation)
      unwritten.delete(conversation)
    },
    /** Takes what an append says; its file is written only when it says more than where the machine is. */
    async change(state: State, before: State | null, snapshot: Snapshot | undefined): Promise<void> {
      const missing = (from: readonly Question[], among: readonly Question[]) =>
        from.filter(({ id }) => !among.some((question) => question.id === id))
      const settled = missing(before?.questions ?? [], state.questions)
      const asked = missing(state.questions, before?.questions ?? [])
      // An answer to a question of that name, settled just before a crash, is none to this one.
      await forgetAnswers(asked)
      const isAsked = JSON.stringify(state.questions) !== JSON.stringify(before?.questions)
      // The first one is written before the opening is acknowledged: a host that starts anew looks after what has a file.
      const isFirst = before === null
      if (isFirst || isAsked || snapshot !== undefined || state.outcome !== null) await write(state, snapshot)
      else unwritten.add(state.id)
      unknown.delete(state.id)
      if (state.outcome === null) states.set(state.id, state)
      else states.delete(state.id)
      // What cannot be removed now is when it is asked again; nobody takes it before.
      await forgetAnswers(settled).catch(() => {})
    },
    /** Those whose files are behind, for the last time that there is to write them. */
    behind: (): readonly State[] => [...unwritten].flatMap((id) => states.get(id) ?? []),
    /**
     * Holds all open conversations from now on.
     * @param spoilt those whose file tells nothing any more: they may be due
     * @returns those that were not held
     */
    async hold(spoilt: readonly string[]): Promise<readonly string[]> {
      const found = (await all()).filter(({ id, outcome }) => outcome === null && !states.has(id))
      for (const state of found) states.set(state.id, state)
      for (const id of spoilt) unknown.add(id)
      return [...found.map(({ id }) => id), ...spoilt]
    },
    *waiting(): Iterable<Waiting> {
      for (const id of unknown) yield { id, dueAt: 0, isAnswered: false }
      for (const { id, dueAt, outcome, questions } of states.values())
        if (outcome === null)
          yield { id, dueAt, isAnswered: questions.some((question) => answered.has(question.id)) }
    },
    /** Looks for answers that came through other processes. */
    async lookForAnswers(): Promise<void> {
      for (const { questions } of states.values())
        for (const { id } of questions)
          if (!answered.has(id))
            await access(answerPlaceOf(folder, id)).then(
              () => answered.add(id),
              () => {},
            )
    },
    async isPending(question: string): Promise<boolean> {
      const isOf = ({ questions }: State): boolean => questions.some(({ id }) => id === question)
      return [...states.values()].some(isOf) || (await all()).some(isOf)
    },
    /** Keeps an answer. @returns false when there is one */
    async answer(question: string, answer: Answer): Promise<boolean> {
      const isFirst = await createFile(answerPlaceOf(folder, question), JSON.stringify(answer), sync)
      answered.add(question)
      return isFirst
    },
    /** Questions with their answers. */
    async pending(questions: readonly Question[]): Promise<readonly PendingQuestion[]> {
      const pending: PendingQuestion[] = []
      for (const question of questions) {
        const path = answerPlaceOf(folder, question.id)
        const content = await contentOf(path)
        const read = questionOf(JSON.stringify(question), content?.toString('utf8') ?? null)
        if (typeof read === 'string') throw new ColloquyError('JOURNAL_CORRUPT', `${path}: ${read}`)
        pending.push(read)
      }
      return pending
    },
  }
}
