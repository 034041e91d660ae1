/**
 * Names of attributes. Those of `messaging`, `gen_ai` and `error` come from the OpenTelemetry semantic conventions
 * (messaging 1.45, GenAI 0.1; both in development), which still name the system in two ways: the older one is what back
 * ends know today. Those of `colloquy` are ours.
 */

export const MESSAGING = {
  'messaging.system': 'colloquy',
  'messaging.system.name': 'colloquy',
  'messaging.operation.name': 'process',
  'messaging.operation.type': 'process',
} as const
export const DESTINATION = 'messaging.destination.name'
export const MESSAGE_ID = 'messaging.message.id'
export const MESSAGE_CONVERSATION = 'messaging.message.conversation_id'

export const INVOKE = { 'gen_ai.operation.name': 'invoke_agent' } as const
export const AGENT_NAME = 'gen_ai.agent.name'
export const CONVERSATION = 'gen_ai.conversation.id'

export const ERROR_TYPE = 'error.type'

export const PROTOCOL = 'colloquy.protocol'
export const EVENT = 'colloquy.event'
export const MEMBER = 'colloquy.member'
export const INTENT = 'colloquy.intent'
export const EFFECT = 'colloquy.effect'
export const REASON = 'colloquy.reason'
/** The state before, and after. */
export const STATE_BEFORE = 'colloquy.state.before'
export const STATE = 'colloquy.state'
export const STATUS = 'colloquy.status'
export const EVENTS = 'colloquy.events'
export const TOKENS = 'colloquy.tokens'
/** With `captureContent` only. */
export const CONTENT = 'colloquy.content'
export const PAYLOAD = 'colloquy.payload'
export const FAULT = 'colloquy.fault'
export const TASK = 'colloquy.task'

/** The reason of a message that is none: what it calls its id or intent may be anything. */
export const INVALID = 'invalid'
