/** Freezes a value and all that it holds, so that whoever changes it throws. */
const frozen = new WeakSet<object>()

export const deepFreeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || frozen.has(value)) return value
  frozen.add(value)
  Object.freeze(value)
  for (const inner of Object.values(value)) deepFreeze(inner)
  return value
}
