export function closure(root: string, names: readonly string[]): string[]
export function bundle(
  root: string,
  destination: string,
  parts: { names: readonly string[]; typed?: readonly string[]; binaries?: readonly string[] }
): string[]
