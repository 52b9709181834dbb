/** Settings by their dotted paths, such as `api.port`, and the flag and environment variable of each. */

/** A configuration with the same sections as {@link Config}, each value optional. */
export type PartialConfig = Record<string, unknown>

/** `short` is in the place of the path where users expect another name. */
export function spellings(path: string, short?: string): { readonly flag: string; readonly env: string } {
  const flag = short ?? path.replaceAll(/[._]/g, '-')
  return { flag, env: `CHRONYM_${flag.replaceAll('-', '_').toUpperCase()}` }
}

export function setPath(target: PartialConfig, path: string, value: unknown): void {
  const [head, ...rest] = path.split('.')
  if (rest.length === 0) {
    target[head!] = value
    return
  }
  const section = (target[head!] ??= {}) as PartialConfig
  setPath(section, rest.join('.'), value)
}

/** The value at a dotted path; undefined where a section is missing. */
export function readPath(config: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], config)
}

/** Takes away the value at a dotted path, and each section that has nothing else. */
export function removePath(config: PartialConfig, path: string): void {
  const [head, ...rest] = path.split('.')
  const inner = config[head!] as PartialConfig
  if (rest.length > 0) removePath(inner, rest.join('.'))
  if (rest.length === 0 || Object.keys(inner).length === 0) Reflect.deleteProperty(config, head!)
}

/** Dotted paths of the leaves given in a partial configuration. */
export function leafPaths(config: PartialConfig, prefix = ''): string[] {
  return Object.entries(config).flatMap(([key, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? leafPaths(value as PartialConfig, `${prefix}${key}.`)
      : [`${prefix}${key}`]
  )
}
