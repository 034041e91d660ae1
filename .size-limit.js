/** What whoever embeds colloquy loads, bundled and compressed; what only Node brings is not counted. */
const node = (config) => ({
  ...config,
  platform: 'node',
  external: [...(config.external ?? []), 'libsql', 'openai', 'pg'],
})

// biome-ignore lint/style/noDefaultExport: size-limit reads the default export.
export default [
  {
    name: 'openConversation',
    path: 'dist/src/index.js',
    import: '{ openConversation }',
    limit: '130 kB',
    modifyEsbuildConfig: node,
  },
  {
    name: 'everything exported',
    path: 'dist/src/index.js',
    // Hosts, their journals and observers among it.
    limit: '175 kB',
    modifyEsbuildConfig: node,
  },
  {
    name: 'the testing kit, without fast-check',
    path: 'dist/src/testing/index.js',
    limit: '150 kB',
    modifyEsbuildConfig: (config) => node({ ...config, external: ['fast-check'] }),
  },
  {
    name: 'the conversation protocol alone',
    path: 'dist/machines/conversation/index.js',
    limit: '125 kB',
    modifyEsbuildConfig: node,
  },
]
