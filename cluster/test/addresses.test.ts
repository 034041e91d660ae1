/** What is refused before any server is asked. */
import { describe, expect, it } from 'vitest'
import { clusterHost } from '../src/index.ts'

const ingress = 'http://127.0.0.1:1'

describe('a host of a cluster', () => {
  it.each([
    [undefined, ['ingress']],
    [{}, ['ingress']],
    [{ ingress: 'nonsense' }, ['ingress']],
    [{ ingress: 'localhost:8080' }, ['ingress']],
    [{ ingress: 'ftp://ana:s3cret@x' }, ['ingress']],
    [{ ingress: 8080, admin: 9070 }, ['ingress', 'admin']],
    [{ ingress, admin: '' }, ['admin']],
    [{ ingress, patience: '30s' }, ['patience']],
    [{ ingress, patience: Number.NaN }, ['patience']],
  ])('is not made of %j', (options, paths) => {
    let error: unknown
    try {
      clusterHost(options as never)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toMatchObject({ code: 'ENDPOINT_INVALID', issues: paths.map((path) => ({ path })) })
    expect(String(error)).not.toContain('s3cret')
  })

  it.each([5, null, undefined, {}, '\ud800'])(
    'knows no conversation of the id %j, and asks nobody',
    async (id) => {
      const host = clusterHost({ ingress })
      const refused = { code: 'CONVERSATION_UNKNOWN' }
      await expect(host.send(id as never, {})).rejects.toMatchObject(refused)
      await expect(host.cancel(id as never)).rejects.toMatchObject(refused)
      expect(await host.show(id as never)).toBeNull()
      expect(await host.record(id as never)).toEqual([])
      await host.close()
    },
  )
})
