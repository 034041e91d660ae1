import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Tests that need more than Node and what is installed: package registries, Python, a terminal. */
const beyondNode = [
  'test/package/**/*.test.ts',
  'test/docs/**/*.test.ts',
  'test/agents/person.test.ts',
  'test/agents/subprocess.test.ts',
  'test/**/*.beyond.test.ts',
]

/** Tests of real servers, which `test/servers/setup.ts` starts. */
const withServers = ['test/**/*.server.test.ts']

/** Where the numbers of a run go as JSON, for CI. */
const report = process.env.COLLOQUY_TEST_REPORT

export default defineConfig({
  test: {
    reporters:
      report === undefined || report === '' ? ['default'] : ['default', ['json', { outputFile: report }]],
    // Two cores: each worker is a process, and property tests keep one busy.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'core',
          include: ['test/**/*.test.ts'],
          exclude: [...beyondNode, ...withServers],
          setupFiles: ['test/house/leaks.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          pool: 'forks',
        },
      },
      {
        test: {
          name: 'beyond',
          include: beyondNode,
          setupFiles: ['test/house/leaks.ts'],
          testTimeout: 120_000,
          hookTimeout: 600_000,
          pool: 'forks',
        },
      },
      {
        test: {
          name: 'servers',
          include: withServers,
          globalSetup: ['test/servers/setup.ts'],
          setupFiles: ['test/house/leaks.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          pool: 'forks',
        },
      },
      {
        // The package in cluster/ as it is used, with colloquy as it is in the sources.
        resolve: {
          alias: [
            { find: /^colloquy$/, replacement: join(import.meta.dirname, 'src/index.ts') },
            {
              find: /^colloquy\/machines\/(.*)$/,
              replacement: join(import.meta.dirname, 'machines/$1/index.ts'),
            },
          ],
        },
        test: {
          name: 'cluster',
          include: ['cluster/test/**/*.test.ts'],
          globalSetup: 'cluster/test/setup.ts',
          setupFiles: ['test/house/leaks.ts'],
          testTimeout: 120_000,
          hookTimeout: 600_000,
          pool: 'forks',
        },
      },
    ],
  },
})
