/** Ids of leases: unique, and those of one host begin with its name. */
import { nanoid } from 'nanoid'

/** What the ids of all leases of a name begin with, and no others. */
export const leasePrefixOf = (name: string): string => `${encodeURIComponent(name.toWellFormed())}:`

/** A new id. */
export const freshLeaseId = (name: string | undefined): string =>
  name === undefined ? nanoid() : `${leasePrefixOf(name)}${nanoid()}`
