/** Whether something is a message of a protocol: the first of the checks, "malformed", before any rule is asked. */
import type { z } from 'zod'
import type { Issue } from '../errors.ts'
import { oversize } from '../schema/bounded.ts'
import { deepFreeze } from '../schema/freeze.ts'
import { issuesOf } from '../schema/issues.ts'
import { type MessageSchema, messageSchema } from '../schema/message.ts'
import { inOurWords } from '../schema/wording.ts'
import type { Protocol } from './protocol.ts'

type Read =
  | { readonly data: z.output<MessageSchema>; readonly issues?: never }
  | { readonly issues: readonly Issue[]; readonly data?: never }

/** Reads a message of whatever shape, for a conversation. What it gives is a copy that nobody else has; its payload cannot be changed. */
export type Reader = (input: unknown, conversation: string) => Read

/** Readers made so far: a schema is worth keeping. */
const readers = new WeakMap<object, Map<number, Reader>>()

/** @param contentLimit most bytes of UTF-8 in a message's content, and most characters in all the rest of it */
export const readerOf = (protocol: Protocol, contentLimit: number): Reader => {
  const byLimit = readers.get(protocol) ?? new Map<number, Reader>()
  readers.set(protocol, byLimit)
  const reader = byLimit.get(contentLimit) ?? readerWith(protocol, contentLimit)
  byLimit.set(contentLimit, reader)
  return reader
}

const readerWith = (protocol: Protocol, contentLimit: number): Reader => {
  const schema = messageSchema(protocol.payloads, contentLimit)
  const checked = (input: unknown): Read => {
    const tooLarge = oversize(input, contentLimit)
    if (tooLarge !== null) return { issues: [tooLarge] }
    const parsed = schema.safeParse(input, inOurWords)
    return parsed.success ? { data: parsed.data } : { issues: issuesOf(parsed.error) }
  }
  return (input, conversation) => {
    let read: Read
    try {
      read = checked(input)
    } catch {
      // A message from the same process may do anything when it is read, also throw.
      return { issues: [{ path: '', message: 'cannot be read: reading one of its fields throws' }] }
    }
    if (read.data === undefined) return read
    const { conversation: named, payload } = read.data
    if (named !== undefined && named !== conversation) {
      const message = `names the conversation "${named}", but this one is "${conversation}"`
      return { issues: [{ path: 'conversation', message }] }
    }
    deepFreeze(payload)
    return read
  }
}
