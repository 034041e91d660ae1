/** A snapshot: all that a conversation needs to go on, as plain JSON. */
import { z } from 'zod'
import { timestamp } from './record.ts'
import { opaqueId } from './text.ts'

export const snapshotSchema = z.object({
  /** Of the snapshot itself. */
  format: z.literal(1),
  /** The protocol's name and its version. */
  machine: z.string().min(1),
  version: z.int().min(1),
  id: opaqueId,
  goal: z.string(),
  state: z.string().min(1),
  /** What the guards know; the protocol's own. */
  context: z.record(z.string(), z.unknown()),
  /** Place of the newest event. */
  seq: z.int().min(0),
  at: timestamp,
  /** The ids of all messages so far, each with its sender. */
  known: z.array(z.tuple([opaqueId, z.string()])),
  /** Of a closed conversation only. */
  outcome: z.record(z.string(), z.unknown()).optional(),
})

export interface Snapshot {
  readonly format: 1
  readonly machine: string
  readonly version: number
  readonly id: string
  readonly goal: string
  readonly state: string
  readonly context: object
  readonly seq: number
  readonly at: number
  readonly known: readonly (readonly [id: string, from: string])[]
  readonly outcome?: object
}
