/** Agents of a simulated world. */
import type { Agent, Answer, Turn } from '../agents/agent.ts'
import type { Clock } from '../engine/clock.ts'
import type { Draw } from './draw.ts'

/** What an agent of a simulated world is given besides its turn. */
export interface Surroundings {
  readonly clock: Clock
  /** Choices of this agent's own, from the world's seed. */
  readonly draw: Draw
}

/** An agent that may use the world it lives in. Any agent is one. */
export interface Resident<Board = Readonly<Record<string, unknown>>>
  extends Pick<Agent<Board>, 'capabilities' | 'timeout' | 'close'> {
  (turn: Turn<Board>, signal: AbortSignal, surroundings: Surroundings): Answer | Promise<Answer>
}
