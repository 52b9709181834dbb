import { html, useEffect, useRef, useState } from '../lib/html.js'
import { useResource } from '../lib/resource.js'
import { Badge, Button, Card, Notice, Progress } from '../parts/basics.js'
import { Icon } from '../parts/icon.js'
import { millisecondsText, progressText, outcomeOf } from './verification.js'

const WORKER = '/assets/verify/worker.js'

/** Checks the record in this browser, in a worker of its own: nothing that the daemon computed is believed. */
export function VerifyHere({ reveal }) {
  const [state, setState] = useState({ kind: 'idle' })
  const worker = useRef()
  const network = useResource('/api/network-status', { every: Infinity }).data?.network
  const stop = () => {
    worker.current?.terminate()
    worker.current = undefined
  }
  useEffect(() => stop, [])
  useEffect(() => (stop(), setState({ kind: 'idle' })), [reveal])
  const start = () => {
    stop()
    const startedMs = performance.now()
    setState({ kind: 'working' })
    const made = new Worker(WORKER, { type: 'module' })
    worker.current = made
    const end = (next) => (stop(), setState({ ...next, milliseconds: performance.now() - startedMs }))
    made.onmessage = ({ data: { progress, result, error } }) => {
      if (progress !== undefined) setState({ kind: 'working', progress })
      else end(error === undefined ? { kind: 'done', result } : { kind: 'failed', error })
    }
    made.onerror = ({ message }) => end({ kind: 'failed', error: message ?? 'The verifier could not be loaded.' })
    made.postMessage({ id: 1, kind: 'reveal', profile: network, reveal })
  }
  const isWorking = state.kind === 'working'
  return html`
    <${Card} title="Verify here">
      <div class="stack">
        <p>
          This browser repeats every check of the record itself: pulse, work, name and signature. It believes nothing
          that the daemon computed. That no other key has a better claim, only the peers above can tell.
        </p>
        <div class="row">
          ${
            isWorking
              ? html`<${Button} onClick=${() => (stop(), setState({ kind: 'idle' }))}>Stop<//>`
              : html`<${Button}
                  kind="main"
                  icon="check"
                  disabled=${reveal === undefined || network === undefined}
                  onClick=${start}
                  >Verify here<//
                >`
          }
          <span role="status">${isWorking && progressText(state.progress)}</span>
        </div>
        ${isWorking && html`<${Progress} label="Verification" ...${barOf(state.progress)} />`}
        ${state.kind === 'failed' && html`<${Notice} tone="bad" title="Not verified">${state.error}<//>`}
        ${state.kind === 'done' && html`<${Outcome} ...${state} />`}
      </div>
    <//>
  `
}

const barOf = (progress) => (progress === undefined ? { max: 0 } : { value: progress.done, max: progress.of })

function Outcome({ result, milliseconds }) {
  const { tone, title, text } = outcomeOf(result)
  return html`
    <${Notice} tone=${tone} title=${title}>${text} It took ${millisecondsText(milliseconds)}.<//>
    <ol class="verification">
      ${result.checks.map(
        ({ rule, title: check, passed, detail, milliseconds: took }) =>
          html`<li key=${rule} class=${passed === null ? 'quiet' : passed ? 'good' : 'bad'}>
            <${Icon} name=${passed === null ? 'pause' : passed ? 'check' : 'bad'} />
            <div>
              <strong>${check}</strong>
              ${passed !== true && html`<${Badge} tone=${passed === null ? 'quiet' : 'bad'}>${passed === null ? 'not reached' : 'failed'}<//>`}
              <p class="quiet">${detail}</p>
            </div>
            <span class="number quiet">${passed === null ? '' : millisecondsText(took)}</span>
          </li>`
      )}
    </ol>
  `
}
