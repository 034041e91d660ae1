/** Calls that Restate keeps and makes later, once, without anybody waiting for them. */
import type { Context, Serde } from '@restatedev/restate-sdk'

const json: Serde<unknown> = {
  contentType: 'application/json',
  serialize: (value) => new TextEncoder().encode(JSON.stringify(value)),
  deserialize: (bytes) => JSON.parse(new TextDecoder().decode(bytes)) as unknown,
}

interface Call {
  readonly service: string
  readonly method: string
  /** Of the object; absent: a service has none. */
  readonly key?: string
  readonly parameter: unknown
  /** ms. Default: none. */
  readonly delay?: number
}

export const post = (ctx: Context, call: Call): void => {
  ctx.genericSend({ ...call, inputSerde: json })
}
