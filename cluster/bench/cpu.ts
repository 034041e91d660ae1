/** The processor time that a process has taken so far, as Linux tells it. */
import { readFileSync } from 'node:fs'

/** ms in a tick of the kernel's accounts. */
const TICK = 10

/** ms of all its threads; NaN where there is no Linux. */
export const cpuOf = (pid: number | undefined): number => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * TICK
  } catch {
    return Number.NaN
  }
}
