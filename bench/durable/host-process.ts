/** Starts hosts in processes of their own, orders them about, and ends them without a word. */
import { fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Answers, Order } from './orders.ts'

export interface HostProcess {
  readonly pid: number
  /** Orders something; one order at a time. */
  ask<Type extends Order['type']>(order: Extract<Order, { readonly type: Type }>): Promise<Answers[Type]>
  /** Ends it at once, as a crash would. Resolves when it is gone. Safe to call twice. */
  kill(): Promise<void>
}

const built = (): string => {
  const script = fileURLToPath(new URL('hosted.js', import.meta.url))
  if (!existsSync(script)) throw new Error(`${script} is not there: build first`)
  return script
}

const hostProcess = async (script: string): Promise<HostProcess> => {
  const child = fork(script, { execArgv: ['--expose-gc'] })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const heard = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const onExit = (): void => reject(new Error('The process of a host ended'))
      child.once('exit', onExit)
      child.once('message', (message) => {
        child.off('exit', onExit)
        resolve(message)
      })
    })
  await heard()
  return {
    pid: child.pid ?? 0,
    async ask<Type extends Order['type']>(order: Extract<Order, { readonly type: Type }>) {
      const answer = heard()
      child.send(order)
      return (await answer) as Answers[Type]
    },
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
  }
}

/**
 * Does something with processes of hosts, which then end.
 * @param script the compiled hosted.ts. Default: the one beside this file
 */
export const withHosts = async <Result>(
  count: number,
  act: (hosts: readonly HostProcess[]) => Promise<Result>,
  script = built(),
): Promise<Result> => {
  const hosts: HostProcess[] = []
  try {
    for (let index = 0; index < count; index++) hosts.push(await hostProcess(script))
    return await act(hosts)
  } finally {
    await Promise.all(hosts.map((host) => host.kill()))
  }
}
