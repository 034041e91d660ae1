/** The protocols that a host knows, several versions of one among them. */
import type { Protocol } from '../engine/protocol.ts'
import { ColloquyError } from '../errors.ts'

export interface Protocols {
  /** For a conversation to be opened: of that name, the newest version. @throws ColloquyError `PROTOCOL_UNKNOWN` */
  named(name: string | undefined): Protocol
  /** For a conversation that there is: of that version, or the newest, which may have a migration. @throws ColloquyError `PROTOCOL_UNKNOWN` */
  of(name: string, version: number | undefined): Protocol
}

/** @throws ColloquyError `USAGE` when there are none, or one twice */
export const protocolsOf = (given: readonly Protocol[]): Protocols => {
  const [first] = given
  if (first === undefined) throw new ColloquyError('USAGE', 'A host needs at least one protocol')
  const byName = new Map<string, Map<number, Protocol>>()
  for (const protocol of given) {
    const versions = byName.get(protocol.name) ?? new Map<number, Protocol>()
    if (versions.has(protocol.version)) {
      const twice = `Version ${protocol.version} of the protocol "${protocol.name}" is given twice`
      throw new ColloquyError('USAGE', twice, { remedy: 'Give each version of a protocol once.' })
    }
    byName.set(protocol.name, versions.set(protocol.version, protocol))
  }
  const versionsOf = (name: string): ReadonlyMap<number, Protocol> => {
    const versions = byName.get(name)
    if (versions !== undefined) return versions
    const known = [...byName.keys()].join(', ')
    throw new ColloquyError('PROTOCOL_UNKNOWN', `The host knows no protocol "${name}"; it knows ${known}`)
  }
  const newest = (versions: ReadonlyMap<number, Protocol>): Protocol =>
    versions.get(Math.max(...versions.keys())) ?? first
  return {
    named: (name) => newest(versionsOf(name ?? first.name)),
    of(name, version) {
      const versions = versionsOf(name)
      return (version === undefined ? undefined : versions.get(version)) ?? newest(versions)
    },
  }
}
