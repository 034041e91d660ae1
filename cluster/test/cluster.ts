/** A cluster for tests: a Restate server and apps as processes that can be killed and started again where they were. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Host } from 'colloquy'
import { inject } from 'vitest'
import { type ClusterHostOptions, clusterHost, type Restate, register, startRestate } from '../src/index.ts'

export type Kind = 'first' | 'second' | 'later'

export interface RunningApp {
  readonly url: string
  kill(): Promise<void>
  /** Resolves when it has ended, for whatever reason. */
  readonly ended: Promise<unknown>
}

export interface Cluster {
  restate(): Restate
  /** Where agents note that they were asked. */
  readonly asks: string
  /** A host that ends with the cluster. */
  host(options?: Partial<ClusterHostOptions>): Host
  startApp(kind: Kind, port?: number): Promise<RunningApp>
  /** `kill -9` of the server. */
  killServer(): Promise<void>
  /** Starts it again on the same folder and ports. */
  startServer(): Promise<void>
  stop(): Promise<void>
}

export const startCluster = async (): Promise<Cluster> => {
  const folder = mkdtempSync(join(tmpdir(), 'colloquy-cluster-'))
  const asks = join(folder, 'asks')
  const children = new Set<ChildProcess>()
  const hosts = new Set<Host>()
  let restate = await startRestate({ folder })
  const kill = async (child: ChildProcess): Promise<void> => {
    if (!children.delete(child)) return
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  return {
    asks,
    restate: () => restate,
    host(options = {}) {
      const { ingress, admin } = restate
      const host = clusterHost({ ingress, admin, ...options })
      hosts.add(host)
      return host
    },
    async startApp(kind, port = 0) {
      const child = fork(join(inject('build'), 'test/app.js'), [kind, String(port), asks])
      children.add(child)
      const [url] = (await once(child, 'message')) as [string]
      return { url, kill: () => kill(child), ended: once(child, 'exit') }
    },
    killServer: () => restate.stop('SIGKILL'),
    async startServer() {
      restate = await startRestate({ folder, ports: restate.ports })
    },
    async stop() {
      await Promise.all([...hosts].map((host) => host.close()))
      await restate.stop()
      await Promise.all([...children].map(kill))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Has Restate send new calls to an app. */
export const registerApp = (cluster: Cluster, app: RunningApp): Promise<void> =>
  register(cluster.restate().admin, app.url)

/** The place where an app that was killed is started again. */
export const portOf = ({ url }: RunningApp): number => Number(new URL(url).port)
