/** The thread has served runs before: their fault must not be there while this run's modules load. */
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    mutantActivation: 'static' | 'runtime'
  }
}

declare global {
  // What Stryker keeps in the thread, of the name that stryker.config.json gives it by default.
  var __stryker__: { activeMutant?: string | undefined } | undefined
}

if (globalThis.__stryker__ && inject('mutantActivation') !== 'static')
  globalThis.__stryker__.activeMutant = undefined
