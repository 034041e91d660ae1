/** Gets a server for tests, by whatever way there is here: found, installed, or in a container. */
import { canInstall, install } from './debian.ts'
import { hasDocker, startInDocker } from './docker.ts'
import type { ServerKind } from './kind.ts'
import { type Running, startNative } from './native.ts'

/**
 * Starts a server.
 * @throws Error that names what cannot be had, and the remedy
 */
export const startServer = async (kind: ServerKind): Promise<Running> => {
  const found = kind.find()
  if (found !== null) return startNative(kind, found)
  if (canInstall()) {
    console.error(`Installing ${kind.title}: ${kind.packages.join(', ')}`)
    const installed = install(kind.packages) ? kind.find() : null
    if (installed !== null) return startNative(kind, installed)
  }
  if (hasDocker()) return startInDocker(kind)
  throw new Error(
    `${kind.title} is not there: install ${kind.packages.join(', ')}, run this as root on Debian, or start Docker.\n` +
      'What needs only Node: npm run test:core',
  )
}
