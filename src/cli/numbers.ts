/** Numbers on the command line. */
import { InvalidArgumentError } from 'commander'

/** A whole number within bounds. */
export const whole =
  (least: number, most: number) =>
  (text: string): number => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (number >= least && number <= most) return number
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
  }
