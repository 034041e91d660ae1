import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { catalogue } from '../../machines/catalogue.ts'
import { dotOf } from '../../src/drawing/dot.ts'
import { graphOf } from '../../src/drawing/graph.ts'
import { mermaidOf } from '../../src/drawing/mermaid.ts'
import { colloquy, folder } from './process.ts'

const here = folder()
afterAll(() => here.remove())

const [first] = Object.values(catalogue)
const { machine, name } = first ?? { machine: null, name: '' }
const graph = machine === null ? null : graphOf(machine)

describe('draw', () => {
  it('draws the first protocol of the catalogue for Mermaid when nothing is said', async () => {
    expect(await colloquy(['draw'])).toEqual({ code: 0, stdout: graph && mermaidOf(graph), stderr: '' })
  })

  it('draws for Graphviz, into a file', async () => {
    const path = join(here.path, 'machine.dot')
    const ended = await colloquy(['draw', name, '--format', 'dot', '-o', path])
    expect(ended).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(readFileSync(path, 'utf8')).toBe(graph && dotOf(graph))
  })

  it('prints the config as JSON, which loses nothing but functions', async () => {
    const { stdout } = await colloquy(['draw', '--format', 'json', '--output', '-'])
    const config = JSON.parse(stdout)
    expect(config).toMatchObject({ id: machine?.id, states: { [graph?.initial ?? '']: {} } })
    expect(Object.keys(config.states)).toEqual(graph?.states.map((state) => state.name))
  })

  it('names the nearest protocol for one that it does not know', async () => {
    expect(await colloquy(['draw', name.slice(0, -1)])).toEqual({
      code: 64,
      stdout: '',
      stderr: `colloquy: PROTOCOL_UNKNOWN: The protocol "${name.slice(0, -1)}" is unknown; did you mean "${name}"?\n→ Name one of: ${Object.keys(catalogue).join(', ')}.\n`,
    })
    expect((await colloquy(['draw', 'toString'])).code).toBe(64)
  })

  it('says that a file cannot be written, with 74', async () => {
    const cannot = async (path: string) => {
      const { code, stderr } = await colloquy(['draw', '-o', path], { cwd: here.path })
      expect(code).toBe(74)
      return stderr
    }
    const advice = '→ Name another file with --output.\n'
    expect(await cannot('.')).toBe(`colloquy: IO_FAILED: Cannot write: . is a folder, not a file\n${advice}`)
    expect(await cannot('no/such')).toBe(
      `colloquy: IO_FAILED: Cannot write: no/such is in a folder that does not exist\n${advice}`,
    )
  })
})
