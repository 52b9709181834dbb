export const TARGETS: Record<string, { os: string; cpu: string; libc?: string; sqlite: string; rust: string }>
export function packageName(target: string): string
export function packageAddons(
  artifacts: string,
  out: string,
  main: Record<string, unknown>,
  targets?: readonly string[],
  notices?: (rustTarget: string) => string
): Record<string, Record<string, string>>
