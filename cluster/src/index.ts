/** Conversations of colloquy on Restate. Named exports only. */
export { type App, conversations, type ServeOptions, serveConversations } from './app.ts'
export { type ClusterHostOptions, clusterHost } from './host.ts'
export { type Restate, type RestateOptions, register, startRestate } from './server.ts'
export type { ConversationsOptions } from './setting.ts'
