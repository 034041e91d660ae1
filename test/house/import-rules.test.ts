/** Biome holds the layers of the architecture apart: each rule is broken once in a scratch folder, and biome must say so. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** Who may know whom: [file, what it imports]. */
const FORBIDDEN: readonly (readonly [file: string, specifier: string])[] = [
  ['src/errors.ts', './schema/text.ts'],
  ['src/file-name.ts', 'node:fs'],
  ['src/schema/planted.ts', 'xstate'],
  ['src/schema/planted.ts', 'node:fs'],
  ['src/schema/planted.ts', '../engine/protocol.ts'],
  ['src/schema/planted.ts', '../agents/agent.ts'],
  ['src/schema/planted.ts', '../../machines/catalogue.ts'],
  ['machines/catalogue.ts', './planted/machine.ts'],
  ['machines/planted/index.ts', '../other/policy.ts'],
  ['machines/planted/index.ts', '../catalogue.ts'],
  ['machines/planted/machine.ts', 'node:fs'],
  ['machines/planted/machine.ts', 'node:timers/promises'],
  ['machines/planted/machine.ts', 'nanoid'],
  ['machines/planted/machine.ts', '../../src/engine/conversation.ts'],
  ['machines/planted/machine.ts', '../../src/engine/clock.ts'],
  ['machines/planted/machine.ts', '../../src/journals/memory.ts'],
  ['machines/planted/machine.ts', '../../src/agents/openai.ts'],
  ['machines/planted/machine.ts', '../../src/index.ts'],
  ['machines/planted/part/index.ts', '../../other/policy.ts'],
  ['machines/planted/part/index.ts', '../../../src/engine/conversation.ts'],
  ['machines/planted/part/index.ts', 'node:fs'],
  ['src/engine/planted.ts', '../../machines/conversation/index.ts'],
  ['src/engine/planted.ts', '../../machines/catalogue.ts'],
  ['src/engine/planted.ts', '../journals/memory.ts'],
  ['src/engine/planted.ts', '../agents/subprocess.ts'],
  ['src/engine/planted.ts', '../cli/main.ts'],
  ['src/engine/planted.ts', '../index.ts'],
  ['src/engine/planted.ts', 'node:fs'],
  ['src/engine/planted.ts', 'node:fs/promises'],
  ['src/engine/planted.ts', 'node:net'],
  ['src/engine/planted.ts', 'node:child_process'],
  ['src/engine/planted.ts', 'openai'],
  ['src/engine/step.ts', './clock.ts'],
  ['src/engine/step.ts', './conversation.ts'],
  ['src/engine/step.ts', 'nanoid'],
  ['src/engine/step.ts', 'node:crypto'],
  ['src/engine/compile.ts', './clock.ts'],
  ['src/engine/branches.ts', './clock.ts'],
  ['src/engine/interpret.ts', './clock.ts'],
  ['src/engine/runner.ts', './clock.ts'],
  ['src/engine/shape.ts', './clock.ts'],
  ['src/engine/replay.ts', './clock.ts'],
  ['src/engine/replay.ts', './facilitator.ts'],
  ['src/engine/replay.ts', 'nanoid'],
  ['src/engine/clock.ts', './deadlines.ts'],
  ['src/testing/planted.ts', '../../machines/catalogue.ts'],
  ['src/testing/planted.ts', '../../machines/conversation/index.ts'],
  ['src/testing/planted.ts', '../agents/subprocess.ts'],
  ['src/testing/planted.ts', '../journals/jsonl.ts'],
  ['src/testing/planted.ts', '../cli/main.ts'],
  ['src/testing/planted.ts', '../index.ts'],
  ['src/testing/planted.ts', 'node:fs'],
  ['src/testing/planted.ts', 'vitest'],
  ['src/testing/planted.ts', 'node:test'],
  ['src/drawing/planted.ts', '../../machines/catalogue.ts'],
  ['src/drawing/planted.ts', '../engine/compile.ts'],
  ['src/drawing/planted.ts', 'node:fs'],
  ['src/agents/agent.ts', '../errors.ts'],
  ['src/agents/agent.ts', './render.ts'],
  ['src/agents/planted.ts', '../engine/clock.ts'],
  ['src/agents/planted.ts', '../engine/protocol.ts'],
  ['src/agents/planted.ts', './subprocess.ts'],
  ['src/agents/planted.ts', 'openai'],
  ['src/agents/planted.ts', '../journals/journal.ts'],
  ['src/agents/planted.ts', '../../machines/conversation/index.ts'],
  ['src/agents/openai.ts', './function.ts'],
  ['src/agents/openai.ts', 'zod'],
  ['src/agents/tagger.ts', 'node:fs'],
  ['src/agents/tagger.ts', '../../machines/conversation/tags/index.ts'],
  ['src/journals/journal.ts', '../engine/protocol.ts'],
  ['src/journals/planted.ts', '../engine/conversation.ts'],
  ['src/journals/planted.ts', './memory.ts'],
  ['src/journals/planted.ts', '../agents/function.ts'],
  ['src/journals/common/planted.ts', '../memory.ts'],
  ['src/journals/common/planted.ts', '../../engine/conversation.ts'],
  ['src/host/planted.ts', '../journals/memory.ts'],
  ['src/host/planted.ts', '../transports/memory.ts'],
  ['src/host/planted.ts', '../agents/subprocess.ts'],
  ['src/host/planted.ts', '../../machines/conversation/index.ts'],
  ['src/host/planted.ts', 'node:fs'],
  ['src/host/planted.ts', '../index.ts'],
  ['src/transports/transport.ts', '../errors.ts'],
  ['src/transports/planted.ts', './memory.ts'],
  ['src/transports/planted.ts', '../engine/conversation.ts'],
  ['src/transports/planted.ts', '../host/host.ts'],
  ['src/observers/observer.ts', '../engine/events.ts'],
  ['src/engine/planted.ts', '../host/create.ts'],
  ['src/engine/planted.ts', '../observers/log.ts'],
  ['src/engine/planted.ts', '../transports/transport.ts'],
  ['src/observers/planted.ts', './log.ts'],
  ['src/observers/planted.ts', '../engine/protocol.ts'],
  ['src/observers/common/planted.ts', '../log.ts'],
  ['src/observers/common/planted.ts', '../../engine/protocol.ts'],
]

/** What the same layers may import, so that no rule forbids everything. */
const ALLOWED: readonly (readonly [file: string, specifier: string])[] = [
  ['src/schema/fine.ts', 'zod'],
  ['src/schema/fine.ts', '../errors.ts'],
  ['machines/fine/index.ts', 'xstate'],
  ['machines/fine/index.ts', './policy.ts'],
  ['machines/fine/index.ts', '../../src/schema/json.ts'],
  ['machines/fine/index.ts', '../../src/engine/protocol.ts'],
  ['machines/fine/index.ts', './part/index.ts'],
  ['machines/fine/part/index.ts', '../policy.ts'],
  ['machines/fine/part/index.ts', '../../../src/schema/tag.ts'],
  ['src/engine/fine.ts', '../journals/journal.ts'],
  ['src/engine/fine.ts', './clock.ts'],
  ['src/engine/fine.ts', 'nanoid'],
  ['src/engine/step.ts', './runner.ts'],
  ['src/agents/fine.ts', './agent.ts'],
  ['src/agents/fine.ts', 'node:fs/promises'],
  ['src/agents/openai.ts', 'openai'],
  ['src/journals/fine.ts', 'node:fs/promises'],
  ['src/journals/fine.ts', '../file-name.ts'],
  ['src/journals/fine.ts', './common/leases.ts'],
  ['src/journals/fine.ts', '../agents/agent.ts'],
  ['src/host/fine.ts', '../journals/journal.ts'],
  ['src/host/fine.ts', '../engine/conversation.ts'],
  ['src/transports/fine.ts', './transport.ts'],
  ['src/observers/fine.ts', './common/text.ts'],
  ['src/observers/common/fine.ts', '../observer.ts'],
  ['src/cli/fine.ts', '../../machines/catalogue.ts'],
  ['src/cli/fine.ts', '../engine/replay.ts'],
  ['src/index.ts', './journals/memory.ts'],
]

/** The forms in which a module can be named. */
const FORMS: readonly (readonly [name: string, code: (specifier: string) => string])[] = [
  ['import', (specifier) => `import { thing } from '${specifier}'\nconsole.log(thing)\n`],
  ['type import', (specifier) => `import type { Thing } from '${specifier}'\nexport type Own = Thing\n`],
  ['re-export', (specifier) => `export { thing } from '${specifier}'\n`],
  ['lazy import', (specifier) => `export const thing = () => import('${specifier}')\n`],
]

/** Other rules of the house: [file, code, rule]. */
const BROKEN: readonly (readonly [file: string, code: string, rule: string])[] = [
  ['src/any.ts', 'export const any = (value: any): string => value\n', 'suspicious/noExplicitAny'],
  ['src/default.ts', 'export default 1\n', 'style/noDefaultExport'],
  ['src/star.ts', `export * from './any.ts'\n`, 'performance/noReExportAll'],
  ['src/extension.ts', `import { any } from './any'\nconsole.log(any)\n`, 'correctness/useImportExtensions'],
  ['src/protocol.ts', `import { join } from 'path'\nconsole.log(join)\n`, 'style/useNodejsImportProtocol'],
  ['src/enum.ts', 'export enum Colour {\n  Red,\n}\n', 'style/noEnum'],
  ['src/cycle/a.ts', `import { b } from './b.ts'\nexport const a = b\n`, 'suspicious/noImportCycles'],
  ['src/cycle/b.ts', `import { a } from './a.ts'\nexport const b = a\n`, 'suspicious/noImportCycles'],
  ['test/only.test.ts', `import { it } from 'vitest'\nit.only('x', () => {})\n`, 'suspicious/noFocusedTests'],
  ['test/skip.test.ts', `import { it } from 'vitest'\nit.skip('x', () => {})\n`, 'suspicious/noSkippedTests'],
]

interface Report {
  readonly diagnostics: readonly {
    readonly category: string
    readonly severity: string
    readonly location: { readonly path: string | { readonly file: string } }
  }[]
}

const scratch = mkdtempSync(join(tmpdir(), 'colloquy-rules-'))

const put = (name: string, text: string): void => {
  mkdirSync(dirname(join(scratch, name)), { recursive: true })
  writeFileSync(join(scratch, name), text)
}

/** A scratch file that is covered by the same rule as `file`: the file itself, in a folder of its own for each case. */
const caseOf = (file: string, specifier: string, form: string): string =>
  `${[file, specifier, form].join(' ').replaceAll(/[^a-z]+/gi, '-')}/${file}`

/** The rules that biome finds broken, by file. */
const found = new Map<string, string[]>()

beforeAll(() => {
  const config = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8')) as {
    vcs: { enabled: boolean }
    files: { includes: string[] }
    overrides: { includes: string[] }[]
  }
  config.vcs.enabled = false
  // Each case lies one folder deeper than in the repository.
  for (const override of config.overrides) {
    override.includes = override.includes.map((glob) =>
      glob.startsWith('!') ? `!*/${glob.slice(1)}` : `*/${glob}`,
    )
  }
  put('biome.json', JSON.stringify(config))
  for (const [file, specifier] of [...FORBIDDEN, ...ALLOWED])
    for (const [form, code] of FORMS) put(caseOf(file, specifier, form), code(specifier))
  for (const [file, code] of BROKEN) put(`broken/${file}`, code)
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  let output = ''
  try {
    const args = [biome, 'lint', '--reporter=json', '--max-diagnostics=none', '.']
    output = execFileSync(process.execPath, args, {
      cwd: scratch,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch (error) {
    output = String((error as { stdout: unknown }).stdout)
  }
  const report = JSON.parse(output) as Report
  for (const { category, location } of report.diagnostics) {
    const path = typeof location.path === 'string' ? location.path : location.path.file
    const name = path.replaceAll('\\', '/').replace(/^\.\//, '')
    found.set(name, [...(found.get(name) ?? []), category])
  }
}, 120_000)

afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const RESTRICTED = 'lint/style/noRestrictedImports'

describe('biome refuses', () => {
  it.each(FORBIDDEN)('%s to import %s', (file, specifier) => {
    for (const [form] of FORMS) expect(found.get(caseOf(file, specifier, form)), form).toContain(RESTRICTED)
  })

  it.each(BROKEN)('%s', (file, _code, rule) => {
    expect(found.get(`broken/${file}`)).toContain(`lint/${rule}`)
  })
})

describe('biome allows', () => {
  it.each(ALLOWED)('%s to import %s', (file, specifier) => {
    for (const [form] of FORMS)
      expect(found.get(caseOf(file, specifier, form)) ?? [], form).not.toContain(RESTRICTED)
  })
})
