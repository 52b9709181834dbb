/** `<platform>-<arch>[-<libc or ABI>]` of the running Node. */
export function addonTarget(): string

/** The path of an addon built in the checkout or package `root`. */
export function builtAddon(root: string): string

/** Whether it is there and newer than its sources. */
export function isAddonCurrent(root: string): boolean
