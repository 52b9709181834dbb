/** Whether a Node of this version runs TypeScript sources as they are. */
export function isRecent(version: string): boolean

/** Why nothing of Rust can be built in this environment, and the cure; undefined when it can. */
export function rustComplaint(env: NodeJS.ProcessEnv): string | undefined
