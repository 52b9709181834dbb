import { describe, expect, it } from 'vitest'
import type { ConfigFieldView } from '../../../../src/web/assets/lib/api.ts'
import { program, programHere, withProgram } from '../../../../src/web/assets/parts/command.ts'

type Source = ConfigFieldView['source']
const fields = (value: string, source: Source = 'flag', network: Source = 'default') => [
  { field: 'data_dir', source, value },
  { field: 'network', source: network, value: 'local' }
]

describe('a command that the dashboard shows', () => {
  it('is short where the command line finds the daemon by itself', () => {
    expect(program()).toBe('chronym')
    expect(program(fields('/home/alice/.local/share/chronym/local', 'default'))).toBe('chronym')
  })

  it.each([
    [fields('/tmp/second'), 'chronym --data-dir /tmp/second'],
    [fields('/var/lib/chronym', 'environment'), 'chronym --data-dir /var/lib/chronym'],
    [fields('/home/alice/chronym/main', 'default', 'flag'), 'chronym --data-dir /home/alice/chronym/main'],
    [fields("/tmp/it's here; $(x)"), "chronym --data-dir '/tmp/it'\\''s here; $(x)'"],
    [fields('/tmp/a\\b'), "chronym --data-dir '/tmp/a\\b'"],
    [fields('C:\\Chronym\\main'), 'chronym --data-dir C:\\Chronym\\main'],
    [fields('C:\\My names'), 'chronym --data-dir "C:\\My names"']
  ])('%j leads to %s', (given, text) => {
    expect(program(given)).toBe(text)
  })

  it.each([
    ['Its renewal failed: chronym renew a.chronym', 'Its renewal failed: chronym --data-dir /x renew a.chronym'],
    ['Another key (chronym explain a.chronym) is', 'Another key (chronym --data-dir /x explain a.chronym) is'],
    ['`chronym status` says what', '`chronym --data-dir /x status` says what'],
    ['Nobody owns a.chronym here, and chronym is a name', 'Nobody owns a.chronym here, and chronym is a name']
  ])('is found in a sentence of the daemon: %s', (text, told) => {
    expect(withProgram(text, 'chronym --data-dir /x')).toBe(told)
  })

  it.each([
    ['http://127.0.0.1:7469', 'chronym --data-dir /tmp/second'],
    ['http://[::1]:7469', 'chronym --data-dir /tmp/second'],
    ['https://names.example', 'chronym --api https://names.example']
  ])('asks the daemon of the page %s', (origin, text) => {
    expect(programHere(fields('/tmp/second'), { origin, hostname: new URL(origin).hostname })).toBe(text)
  })
})
