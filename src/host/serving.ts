/** A host behind a transport: requests are decided, and those that could not be are delivered again. */
import type { Sent } from '../engine/events.ts'
import { ColloquyError, type ErrorCode } from '../errors.ts'
import type { Delivery, Request, Transport } from '../transports/transport.ts'
import type { Host } from './host.ts'

/** What may be better the next time. Anything else stays as it is, however often it is delivered. */
const PASSING: readonly ErrorCode[] = [
  'HOST_BUSY',
  'HOST_CLOSED',
  'CONVERSATION_HELD',
  'LEASE_LOST',
  'JOURNAL_FAILED',
  'JOURNAL_CONFLICT',
]

/** What comes from outside may be anything. */
const decide = async (host: Host, request: Request): Promise<Sent> => {
  const { conversation } = request
  switch (request.type) {
    case 'message':
      return host.send(conversation, request.message)
    case 'join':
      return host.join(conversation, request.member)
    case 'leave':
      return host.leave(conversation, request.member)
    case 'cancel':
      return host.cancel(conversation)
    default:
      throw new ColloquyError('USAGE', 'The request has no type that there is', {
        issues: [{ path: 'type', message: 'must be "message", "join", "leave" or "cancel"' }],
        remedy: 'Correct the field named.',
      })
  }
}

/** Serves; returns how to stop, which waits for what is under way. */
export const serving = (host: Host, transport: Transport, prefetch: number): Promise<() => Promise<void>> => {
  const onDelivery = async (delivery: Delivery): Promise<void> => {
    const { request } = delivery
    const { conversation } = request
    const refused = (decision: object): Promise<void> =>
      transport.tell({ conversation, seq: null, event: request, decision })
    try {
      const decision = await decide(host, request)
      // What has a place was told when it was kept.
      if (decision.seq === undefined) await refused(decision)
    } catch (error) {
      if (!(error instanceof ColloquyError) || PASSING.includes(error.code)) {
        await delivery.retry(error)
        return
      }
      const { code, message, issues, remedy } = error
      await refused({ effect: 'rejected', reason: code, error: { code, message, issues, remedy } })
    }
    await delivery.done()
  }
  return transport.serve(onDelivery, { prefetch })
}
