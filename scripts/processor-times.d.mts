export function slowFiles(times: ReadonlyMap<string, readonly number[]>, limit: number): string[]
