/** Makes a value of plain objects and lists unchangeable, all the way down. */
export const deepFreeze = <Value>(value: Value): Value => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const key in value) deepFreeze(value[key])
  return Object.freeze(value)
}
