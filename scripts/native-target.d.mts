/** `<platform>-<arch>[-<libc or ABI>]` of the running Node. */
export function addonTarget(): string
