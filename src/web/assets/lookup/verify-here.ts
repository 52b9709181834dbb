import type { Progress as Step, Verification } from '../../../verify/verification.ts'
import type { RevealBody } from '../lib/api.ts'
import { h, html, useEffect, useRef, useState } from '../lib/html.ts'
import { useResource } from '../lib/resource.ts'
import { Badge, Button, Card, Notice, Progress, type Tone } from '../parts/basics.ts'
import { Icon, type IconName } from '../parts/icon.ts'

/** As a worker posts it. */
type Verified = Omit<Verification<unknown>, 'value'>

export const millisecondsText = (milliseconds: number): string =>
  milliseconds < 1
    ? 'under 1 ms'
    : milliseconds < 1000
      ? `${Math.round(milliseconds)} ms`
      : `${(milliseconds / 1000).toFixed(1)} s`

const RULES: Readonly<Record<Step['rule'], string>> = { pulse: 'Checking the pulse', proof: 'Checking the work' }

/** Undefined before the first. */
export function progressText(progress: Step | undefined): string {
  if (progress === undefined) return 'Loading the verifier…'
  const { rule, done, of } = progress
  return `${RULES[rule]}${of > 1 ? `, ${done + 1} of ${of}` : ''}…`
}

export function outcomeOf({ valid, checks, problem, backend }: Verified): { tone: Tone; title: string; text: string } {
  const passed = checks.filter((check) => check.passed === true).length
  const by = backend === 'bigint' ? ' in plain JavaScript' : ''
  return valid
    ? { tone: 'good', title: 'Valid', text: `All ${passed} checks passed, made by this browser${by}.` }
    : {
        tone: 'bad',
        title: 'Not valid',
        text: `${problem?.detail ?? 'A check failed'} (${problem?.rule ?? 'unknown rule'}). ${passed} of ${checks.length} checks passed.`
      }
}

const WORKER = '/assets/verify/worker.js'

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'working'; readonly progress?: Step }
  | { readonly kind: 'done'; readonly result: Verified; readonly milliseconds: number }
  | { readonly kind: 'failed'; readonly error: string }

/** What verify/worker.ts sends: one of these. */
interface Message {
  readonly progress?: Step
  readonly result?: Verified
  readonly error?: string
}

/** Checks the record in this browser, in a worker of its own: nothing that the daemon computed is believed. */
function useVerifier(
  reveal: RevealBody | undefined
): readonly [state: State, start: (profile: string, name: string) => void, stop: () => void] {
  const [state, setState] = useState<State>({ kind: 'idle' })
  const worker = useRef<Worker | undefined>(undefined)
  const end = (next: State) => {
    worker.current?.terminate()
    worker.current = undefined
    setState(next)
  }
  useEffect(() => () => worker.current?.terminate(), [])
  const start = (profile: string, name: string) => {
    const startedMs = performance.now()
    end({ kind: 'working' })
    const made = new Worker(WORKER, { type: 'module' })
    worker.current = made
    made.onmessage = ({ data }) => {
      const { progress, result, error = 'It stopped without a result.' } = data as Message
      if (progress !== undefined) setState({ kind: 'working', progress })
      else if (result === undefined) end({ kind: 'failed', error })
      else end({ kind: 'done', result, milliseconds: performance.now() - startedMs })
    }
    made.onerror = ({ message }) =>
      end({ kind: 'failed', error: message || 'This daemon has no verifier for browsers.' })
    made.postMessage({ id: 1, kind: 'reveal', profile, name, reveal })
  }
  return [state, start, () => end({ kind: 'idle' })]
}

/** Give it the record as `key`: another record begins with nothing verified. */
export function VerifyHere({ reveal, name }: { reveal: RevealBody | undefined; name: string }) {
  const [state, start, stop] = useVerifier(reveal)
  const network = useResource('/api/network-status', { every: Infinity }).data?.network
  const isWorking = state.kind === 'working'
  const disabled = reveal === undefined || network === undefined
  const begin = () => network !== undefined && start(network, name)
  return html`
    <${Card} title="Verify here">
      <div class="stack">
        <p>
          This browser repeats every check of the record itself: pulse, work, name and signature. It believes nothing
          that the daemon computed. It can't prove that no other key has a better claim, which only the peers above can
          tell, or that the daemon which served this page is honest: <code>chronym verify</code> checks elsewhere.
        </p>
        <div class="row">
          ${
            isWorking
              ? h(Button, { key: 'stop', onClick: stop }, 'Stop')
              : h(Button, { key: 'start', kind: 'main', icon: 'check', disabled, onClick: begin }, 'Verify here')
          }
          <span role="status">${isWorking && progressText(state.progress)}</span>
        </div>
        ${
          isWorking && h(Progress, { label: 'Verification', value: state.progress?.done, max: state.progress?.of ?? 0 })
        }
        ${state.kind === 'failed' && html`<${Notice} tone="bad" title="Not verified">${state.error}<//>`}
        ${state.kind === 'done' && outcome(state.result, state.milliseconds)}
      </div>
    <//>
  `
}

const WORDS: Readonly<Record<string, readonly [Tone, IconName, string]>> = {
  true: ['good', 'check', ''],
  false: ['bad', 'bad', 'failed'],
  null: ['quiet', 'pause', 'not reached']
}

function outcome(result: Verified, milliseconds: number) {
  const { tone, title, text } = outcomeOf(result)
  return html`
    <${Notice} tone=${tone} title=${title}>${text} It took ${millisecondsText(milliseconds)}.<//>
    <ol class="verification" aria-label="Checks">
      ${result.checks.map(({ rule, title: check, passed, detail }) => {
        const [its, icon, word] = WORDS[String(passed)]!
        return html`<li key=${rule} class=${its}>
          <${Icon} name=${icon} />
          <div><strong>${check}</strong>${detail !== '' && html`<p class="quiet">${detail}</p>`}</div>
          ${word !== '' && html`<${Badge} tone=${its}>${word}<//>`}
        </li>`
      })}
    </ol>
  `
}
