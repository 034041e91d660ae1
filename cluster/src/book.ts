/** The protocols that an app knows, several versions of one of them included. */
import { ColloquyError, type Protocol } from 'colloquy'

/** Finds the rules for a conversation. */
export interface Book {
  /** The newest version of a protocol, for a new conversation. Without a name: the first protocol of the list. @throws ColloquyError `PROTOCOL_UNKNOWN` */
  newest(name?: string): Protocol
  /** The version with which a conversation was opened. @throws ColloquyError `PROTOCOL_UNKNOWN` */
  of(name: string, version: number): Protocol
}

const titleOf = ({ name, version }: Protocol): string => `${name}@${version}`

/**
 * Makes a book of protocols.
 * @param protocols the first one's name is the default
 * @throws ColloquyError `PROTOCOL_INVALID` when there is none, or two have the same name and version
 */
export const bookOf = (protocols: readonly Protocol[]): Book => {
  const byTitle = new Map<string, Protocol>()
  const byName = new Map<string, Protocol>()
  for (const protocol of protocols) {
    const title = titleOf(protocol)
    if (byTitle.has(title))
      throw new ColloquyError('PROTOCOL_INVALID', `The protocol ${title} is given twice`)
    byTitle.set(title, protocol)
    const newest = byName.get(protocol.name)
    if (newest === undefined || newest.version < protocol.version) byName.set(protocol.name, protocol)
  }
  const [first] = protocols
  if (first === undefined) throw new ColloquyError('PROTOCOL_INVALID', 'An app needs at least one protocol')

  const unknown = (what: string): ColloquyError =>
    new ColloquyError(
      'PROTOCOL_UNKNOWN',
      `This app does not know the protocol "${what}"; it knows ${[...byTitle.keys()].join(', ')}`,
    )
  return {
    newest(name = first.name) {
      const protocol = byName.get(name)
      if (protocol === undefined) throw unknown(name)
      return protocol
    },
    of(name, version) {
      const protocol = byTitle.get(`${name}@${version}`)
      if (protocol === undefined) throw unknown(`${name}@${version}`)
      return protocol
    },
  }
}
