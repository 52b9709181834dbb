interface Crate {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly repository: string | null
  readonly manifest_path: string
}
export function linkedCrates(root: string, rustTarget: string): Crate[]
export function noticesOf(crates: readonly Crate[]): string
export function libraryNotices(root: string): string
