/** What a host of a cluster is made with, checked when it is made: a wrong address would else look like a server that is down. */
import { ColloquyError, type Issue } from 'colloquy'

const wrongAddress = (value: unknown): string | null => {
  if (value === undefined) return 'is missing: must be an address such as "http://127.0.0.1:8080"'
  const isAddress =
    typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
  // What is no address is not repeated: it may hold a password.
  return isAddress ? null : 'must be an address that begins with http:// or https://'
}

/** @throws ColloquyError `ENDPOINT_INVALID` with each wrong field */
export const refuseWrongAddresses = (options: unknown): void => {
  const { ingress, admin, patience } = (options ?? {}) as Readonly<Record<string, unknown>>
  const found: [path: string, message: string | null][] = [
    ['ingress', wrongAddress(ingress)],
    ['admin', admin === undefined ? null : wrongAddress(admin)],
    [
      'patience',
      patience === undefined || (typeof patience === 'number' && patience >= 0)
        ? null
        : 'must be a number of ms',
    ],
  ]
  const issues = found.flatMap(([path, message]): Issue[] => (message === null ? [] : [{ path, message }]))
  if (issues.length === 0) return
  throw new ColloquyError(
    'ENDPOINT_INVALID',
    `The host was not made: ${issues.map(({ path, message }) => `${path} ${message}`).join('; ')}`,
    { issues, remedy: 'Give the addresses that Restate listens at, such as `npm start` prints them.' },
  )
}
