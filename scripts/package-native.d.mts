export const TARGETS: Record<string, { os: string; cpu: string; libc?: string; sqlite: string }>
export function packageName(target: string): string
export function packageAddons(
  artifacts: string,
  out: string,
  main: Record<string, unknown>,
  targets?: readonly string[]
): Record<string, Record<string, string>>
