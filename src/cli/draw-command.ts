/** `colloquy draw`: a protocol's machine as a picture, or as its config. */
import { writeFileSync } from 'node:fs'
import type { AnyStateMachine } from 'xstate'
import { catalogue } from '../../machines/catalogue.ts'
import { dotOf } from '../drawing/dot.ts'
import { graphOf } from '../drawing/graph.ts'
import { mermaidOf } from '../drawing/mermaid.ts'
import type { Protocol } from '../engine/protocol.ts'
import { ColloquyError } from '../errors.ts'
import { unknownKey } from '../schema/issues.ts'
import { FileFailure, systemCode, systemWords } from './failure.ts'
import type { Format } from './formats.ts'
import type { SyncOutput } from './sync-output.ts'

const protocols: Readonly<Record<string, Protocol>> = catalogue

const EMITTERS = {
  mermaid: (machine) => mermaidOf(graphOf(machine)),
  dot: (machine) => dotOf(graphOf(machine)),
  // What is no JSON in it (context and output, which are functions) is left out.
  json: (machine) => `${JSON.stringify(machine.config, null, 2)}\n`,
} as const satisfies Readonly<Record<Format, (machine: AnyStateMachine) => string>>

export interface DrawCommandOptions {
  readonly format: Format
  /** A file, in place of stdout. */
  readonly output?: string
}

/**
 * Draws a protocol; the catalogue's first when none is named.
 * @throws ColloquyError `PROTOCOL_UNKNOWN`; FileFailure when the file cannot be written
 */
export const drawCommand = (
  name: string | undefined,
  options: DrawCommandOptions,
  output: SyncOutput,
): void => {
  const names = Object.keys(protocols)
  const wanted = name ?? names[0] ?? ''
  const protocol = Object.hasOwn(protocols, wanted) ? protocols[wanted] : undefined
  if (protocol === undefined)
    throw new ColloquyError('PROTOCOL_UNKNOWN', `The protocol "${wanted}" ${unknownKey(wanted, names)}`, {
      remedy: `Name one of: ${names.join(', ')}.`,
    })
  const picture = EMITTERS[options.format](protocol.machine)
  if (options.output === undefined || options.output === '-') {
    output.write(picture)
    output.flush()
    return
  }
  try {
    writeFileSync(options.output, picture)
  } catch (error) {
    const remedy = 'Name another file with --output.'
    const why = systemCode(error) === 'ENOENT' ? 'is in a folder that does not exist' : systemWords(error)
    throw new FileFailure('IO_FAILED', `Cannot write: ${options.output} ${why}`, remedy, error)
  }
}
