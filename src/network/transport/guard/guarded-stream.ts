/** A stream of libp2p around another one, which sees all bytes that a peer sends before the next layer does. */
import type { AbortOptions, MessageStream } from '@libp2p/interface'
import { AbstractMessageStream, type SendResult } from '@libp2p/utils'

type Bytes = Parameters<AbstractMessageStream['sendData']>[0]

export abstract class GuardedStream extends AbstractMessageStream {
  readonly #inner: MessageStream

  /** @param buffers bytes that may wait, received and unsent */
  constructor(inner: MessageStream, buffers: { maxReadBufferLength: number; maxWriteBufferLength: number }) {
    const { log, direction, inactivityTimeout } = inner
    super({ log, direction, inactivityTimeout, ...buffers })
    this.#inner = inner
    inner.addEventListener('close', ({ error, local }) => {
      if (error === undefined) this.onTransportClosed()
      else if (local === true) this.abort(error)
      else this.onRemoteReset()
    })
    inner.addEventListener('remoteCloseWrite', () => this.onRemoteCloseWrite())
    inner.addEventListener('drain', () => this.safeDispatchEvent('drain'))
  }

  /** Call once all fields are set. */
  protected listen(): void {
    this.#inner.addEventListener('message', ({ data }) => {
      if (this.status !== 'open') return
      try {
        this.receive(data.subarray())
      } catch (error) {
        this.abort(error as Error)
      }
    })
  }

  /** Passes them on by `onData`. What it throws ends the connection. */
  protected abstract receive(bytes: Uint8Array): void

  close(options?: AbortOptions): Promise<void> {
    return this.#inner.close(options)
  }

  sendData(data: Bytes): SendResult {
    const sentBytes = data.byteLength
    return { sentBytes, canSendMore: this.#inner.send(data) }
  }

  sendReset(error: Error): void {
    this.#inner.abort(error)
  }

  sendPause(): void {
    this.#inner.pause()
  }

  sendResume(): void {
    this.#inner.resume()
  }
}
