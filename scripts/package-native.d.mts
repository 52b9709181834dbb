export const TARGETS: Record<string, { os: string; cpu: string; libc?: string }>
export function packageAddons(artifacts: string, out: string, main: Record<string, unknown>): Record<string, unknown>
