import { describe, expect, it } from 'vitest'
import { colloquy } from './process.ts'

describe('a wrong command line over a journal', () => {
  it.each([
    ['journal ls', "missing required argument 'journal'"],
    ['journal lst x', "unknown command 'lst' (Did you mean ls?)"],
    ['journal ls x --open --closed', "option '--open' cannot be used with option '--closed'"],
    [
      'journal ls x --limit 0',
      "option '--limit <number>' argument '0' is invalid. It must be a whole number from 1 to",
    ],
    ['journal show x', "missing required argument 'id'"],
    ['journal import x', "missing required argument 'file'"],
    ['answer', "missing required argument 'journal'"],
    [
      'answer x --wait soon',
      "option '--wait <seconds>' argument 'soon' is invalid. It must be a whole number from 0 to",
    ],
  ])('%s ends with 64 and says what is wrong', async (line, words) => {
    const { code, stdout, stderr } = await colloquy(line.split(' '))
    expect(stderr).toContain(`colloquy: USAGE: ${words}`)
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
  })
})

describe('help', () => {
  it.each([
    ['journal --help'],
    ['journal ls --help'],
    ['journal show --help'],
    ['journal export --help'],
    ['journal import --help'],
    ['journal verify --help'],
    ['journal compact --help'],
    ['questions --help'],
    ['help answer'],
  ])('%s has an example', async (line) => {
    const { code, stdout, stderr } = await colloquy(line.split(' '))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Example:\n {2}\$ colloquy /m)
  })
})
