import { checkCodeOf, codedId } from '../../protocol/claim/check-code.ts'
import type { Reveal } from '../../protocol/claim/reveal.ts'
import { waitForEnough } from '../../util/wait-for-enough.ts'
import type { RevealAnswer, RevealLookup } from '../types.ts'
import { getReveals } from './get.ts'
import type { ClientParts } from './reachable.ts'

/**
 * Asks for the claim of a name that has a check code, at both places where its record belongs. No place decides
 * anything: one verified record that fits is the owner's. So what remains to an attacker is to fill both.
 * Ends a second after a place has shown one: the newest may be at the other, of which all count that have answered by
 * then [an older record shown again]. Throws OfflineError, or the signal's reason.
 */
export async function getByCode(
  parts: ClientParts,
  name: string,
  code: string,
  signal?: AbortSignal
): Promise<RevealLookup> {
  const rest = new AbortController()
  const either = signal === undefined ? rest.signal : AbortSignal.any([signal, rest.signal])
  // Most peers show one record, which each new answer would have decoded again.
  const known = new WeakMap<Reveal, boolean>()
  const shows = (reveal: Reveal): boolean => {
    const fits = known.get(reveal) ?? checkCodeOf(reveal, parts.profile).startsWith(code)
    known.set(reveal, fits)
    return fits
  }
  const isFound = (look: RevealLookup | undefined): boolean =>
    look?.answers.some(({ reveal }) => reveal !== undefined && shows(reveal)) ?? false
  try {
    const places = [{ kind: 'coded', id: codedId(name, code) } as const, { kind: 'reveal', id: name } as const]
    const heard = places.map((): RevealAnswer[] => [])
    const looks = await waitForEnough(
      places.map((place, index) =>
        getReveals(parts, name, either, { shows, heard: (answer) => heard[index]!.push(answer) }, place)
      ),
      (soFar) => soFar.some(isFound)
    )
    const { networkSize } = looks.find((look) => look !== undefined)!
    return looks.map((look, index) => look ?? unfinished(heard[index]!, networkSize)).reduce(merged)
  } finally {
    rest.abort(new Error('the other place has shown it'))
  }
}

function unfinished(answers: readonly RevealAnswer[], networkSize: number): RevealLookup {
  return { answers: [...answers], asked: answers.length, silent: [], networkSize, leftOut: 0 }
}

function merged(one: RevealLookup, other: RevealLookup): RevealLookup {
  return {
    answers: [...one.answers, ...other.answers],
    asked: one.asked + other.asked,
    silent: [...one.silent, ...other.silent],
    networkSize: one.networkSize,
    leftOut: one.leftOut + other.leftOut
  }
}
