/** The process of an app: it serves conversations to Restate over HTTP/2. */
import { createServer, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createEndpointHandler } from '@restatedev/restate-sdk'
import { askingService } from './agents.ts'
import { conversationObject } from './conversations.ts'
import { log } from './log.ts'
import { type ConversationsOptions, settingOf } from './setting.ts'

export interface ServeOptions extends ConversationsOptions {
  /** Default: any that is free. */
  readonly port?: number
  /** Default: loopback. What listens elsewhere should have `identityKeys`: whoever reaches it may call it. */
  readonly hostname?: string
  /** Restate's public keys: only requests that are signed with one of them are heard. */
  readonly identityKeys?: readonly string[]
}

export interface App {
  /** The address to register with Restate. */
  readonly url: string
  /** Stops listening and ends what is open; Restate goes on with it elsewhere. Safe to call twice. */
  close(): Promise<void>
}

/** What Restate is to know of an app, for an endpoint of your own. @throws ColloquyError `PROTOCOL_INVALID` */
export const conversations = (options: ConversationsOptions) => {
  const setting = settingOf(options)
  const talks = conversationObject(setting)
  return setting.agents.size === 0 ? [talks] : [talks, askingService(setting)]
}

/**
 * Serves conversations.
 * @throws ColloquyError `PROTOCOL_INVALID`
 */
export const serveConversations = async (options: ServeOptions): Promise<App> => {
  const { port = 0, hostname = '127.0.0.1', identityKeys } = options
  const server = createServer(
    createEndpointHandler({
      services: conversations(options),
      logger: log,
      ...(identityKeys === undefined ? {} : { identityKeys: [...identityKeys] }),
    }),
  )
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, hostname, resolve)
  })
  const bound = (server.address() as AddressInfo).port
  let closing: Promise<void> | null = null
  return {
    url: `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${bound}`,
    close() {
      closing ??= new Promise((resolve) => {
        server.close(() => resolve())
        for (const session of sessions) session.destroy()
      })
      return closing
    },
  }
}
