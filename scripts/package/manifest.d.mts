interface PublishedManifest extends Record<string, unknown> {
  scripts: Record<string, string>
  optionalDependencies: Record<string, string>
}
export function publishedManifest(
  main: Record<string, unknown>,
  checksums: Record<string, Record<string, string>>
): PublishedManifest
