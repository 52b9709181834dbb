import { describe, expect, it } from 'vitest'
import {
  changeCount,
  difference,
  errorsByRow,
  FIRST_ROW,
  isUnchanged,
  recordsOf,
  rowOf,
  rowsOf,
  shownValue,
  zoneState
} from '../../../../src/web/assets/zone/records.ts'

type Row = Record<'label' | 'type' | 'value' | 'ttl', string>

const row = (label: string, type: string, value: string, ttl = ''): Row => ({ label, type, value, ttl })

describe('the records of the editor', () => {
  it('are those of the rows, each with the row that it came from', () => {
    const { records, rowByPath } = recordsOf([
      row('www', 'a', '192.0.2.1', '60'),
      row('', '', ''),
      row('', 'TXT', '"x"'),
      row('www', 'A', '192.0.2.2')
    ])
    expect({ ...records }).toEqual({
      www: [
        { type: 'A', value: '192.0.2.1', ttl: 60 },
        { type: 'A', value: '192.0.2.2' }
      ],
      '@': [{ type: 'TXT', value: '"x"' }]
    })
    expect([...rowByPath]).toEqual([
      ['www/0', 0],
      ['@/0', 2],
      ['www/1', 3]
    ])
  })

  it('leave out rows in which nothing was entered, and keep those that are half done', () => {
    expect({ ...recordsOf([FIRST_ROW, row('', '', '')]).records }).toEqual({})
    expect(Object.keys(recordsOf([row('www', '', '')]).records)).toEqual(['www'])
  })

  it('have labels of any kind', () => {
    const { records } = recordsOf([row('constructor', 'A', '192.0.2.1'), row('__proto__', 'A', '192.0.2.2')])
    expect(JSON.stringify(records)).toBe(
      '{"constructor":[{"type":"A","value":"192.0.2.1"}],"__proto__":[{"type":"A","value":"192.0.2.2"}]}'
    )
    expect(Object.keys(records)).toEqual(['constructor', '__proto__'])
  })

  it('become rows again', () => {
    expect(
      rowsOf({
        www: [
          { type: 'A', value: '192.0.2.1', ttl: 60 },
          { type: 'AAAA', value: '::1' }
        ]
      })
    ).toEqual([row('www', 'A', '192.0.2.1', '60'), row('www', 'AAAA', '::1')])
    expect(rowsOf({})).toEqual([FIRST_ROW])
    expect(rowOf({ label: ' www ', ttl: 60 })).toEqual(row('www', '', '', '60'))
  })

  it.each([' leading and trailing ', '\u200ethumb=12ab', 'two\tcolumns\nand a line\r\n', '\u00a0', '"\\032"'])(
    'keep the text %j as it is, whatever row is edited',
    (value) => {
      const records = { '@': [{ type: 'TXT', value }] }
      expect({ ...recordsOf(rowsOf(records).map((each) => rowOf(each))).records }).toEqual(records)
    }
  )

  it('take no blank for a part of an address', () => {
    expect(rowOf({ type: 'aaaa', value: ' 2001:db8::1 \n' }).value).toBe('2001:db8::1')
    expect(rowOf({ type: 'CAA', value: String.raw`0 issue a\ ` }).value).toBe(String.raw`0 issue a\ `)
  })

  it.each([
    ['TXT', 'two\tcolumns\nand a line', String.raw`"two\009columns\010and a line"`],
    ['txt', ' both ends ', '" both ends "'],
    ['TXT', '\u200ethumb=12ab', String.raw`"\226\128\142thumb=12ab"`],
    ['TXT', 'v=spf1 -all', 'v=spf1 -all'],
    ['CAA', '0 issue "a\u200eb"', String.raw`0 issue "a\226\128\142b"`],
    ['TXT', '', '']
  ])('show all of a %s value: %j is %s', (type, value, shown) => expect(shownValue({ type, value })).toBe(shown))
})

describe('the difference of two zones', () => {
  it('counts a changed record once', () => {
    expect(changeCount({ added: ['a 2'], removed: ['a 1'] })).toBe(1)
    expect(changeCount({ added: ['a', 'b'], removed: ['c'] })).toBe(2)
    expect(changeCount({ added: [], removed: [] })).toBe(0)
  })

  const before = { www: [{ type: 'A', value: '192.0.2.1' }], '@': [{ type: 'TXT', value: '"x"', ttl: 60 }] }

  it('is what was added and removed, line by line', () => {
    expect(
      difference(before, { '@': [{ type: 'TXT', value: '"x"', ttl: 61 }], www: [{ type: 'A', value: '192.0.2.1' }] })
    ).toEqual({ added: ['@ 61 TXT "x"'], removed: ['@ 60 TXT "x"'] })
  })

  it('shows what a reader would not see', () => {
    const text = (value: string) => ({ '@': [{ type: 'TXT', value }] })
    expect(difference(text('thumb=12ab'), text('\u200ethumb=12ab '))).toEqual({
      added: [String.raw`@ 300 TXT "\226\128\142thumb=12ab "`],
      removed: ['@ 300 TXT thumb=12ab']
    })
    expect(isUnchanged(difference(text('a\tb'), text(String.raw`"a\009b"`)))).toBe(true)
  })

  it('counts a line as often as it is there', () => {
    const once = [{ type: 'A', value: '192.0.2.1' }]
    expect(difference({ www: once }, { www: [...once, ...once] })).toEqual({
      added: ['www 300 A 192.0.2.1'],
      removed: []
    })
  })

  it('is none for another order, or for the TTL that the daemon takes', () => {
    expect(
      isUnchanged(
        difference(before, {
          '@': [{ type: 'TXT', value: '"x"', ttl: 60 }],
          www: [{ type: 'A', value: '192.0.2.1', ttl: 300 }]
        })
      )
    ).toBe(true)
    expect(isUnchanged(difference(before, {}))).toBe(false)
  })
})

describe('what the editor shows', () => {
  const zone = { source: 'local', state: 'draft', serial: 5, saved: 5, published: 3, isEdited: false }

  it.each([
    ['a draft', {}, 'draft', 'Serial 5, which only this daemon has. Published is serial 3.'],
    ['a first draft', { published: 0 }, 'draft', 'Serial 5, which only this daemon has. Nothing is published.'],
    [
      'what is published, also of a name that is on no list',
      { state: 'published', published: 0 },
      'published',
      'Serial 5, the zone that is published.'
    ],
    ['a draft that was published since', { published: 5 }, 'published', 'Serial 5, the zone that is published.'],
    ['what peers show', { source: 'network' }, 'published', 'Serial 5, as peers show it. There is no draft here.'],
    ['nothing', { source: null }, 'no zone', 'No zone is saved here or published.'],
    [
      'what cannot be read',
      { source: null, trouble: 'Offline.' },
      'not known',
      'No draft is saved here, and what is published cannot be read just now: Offline.'
    ],
    [
      'a draft that somebody else saved',
      { saved: 6 },
      'draft',
      'Serial 5, which only this daemon has. Published is serial 3. It was changed elsewhere since: serial 6 is saved now. Saving shows what it would replace.'
    ]
  ])('is said: %s', (_case, change, word, text) => {
    expect(zoneState({ ...zone, ...change })).toEqual({ word, text })
  })

  it('is called unsaved once it is edited', () => {
    expect(zoneState({ ...zone, isEdited: true })).toEqual({
      word: 'unsaved edits',
      text: 'Nothing of your edits is saved yet; this tab keeps them. Without them: Serial 5, which only this daemon has. Published is serial 3.'
    })
  })
})

describe('what the daemon says of records', () => {
  const { rowByPath } = recordsOf([row('www', 'A', 'x'), row('', '', ''), row('a/b', 'A', 'y'), row('@', 'MX', 'z')])

  it('is shown at the row and the field that it is about', () => {
    const { byRow, rest } = errorsByRow(
      [
        { path: 'records/www/0/value', message: 'www: A: "x" is not an IPv4 address' },
        { path: 'records/www/0/ttl', message: 'too long' },
        { path: 'records/@/0/unknown', message: 'odd' },
        { path: 'records/a~1b', message: 'a label is wrong' },
        { path: 'records', message: 'a zone has at most 256 records' }
      ],
      rowByPath
    )
    expect([...byRow]).toEqual([
      [0, { field: 'value', message: 'A: "x" is not an IPv4 address; too long' }],
      [3, { field: 'label', message: 'odd' }],
      [2, { field: 'label', message: 'a label is wrong' }]
    ])
    expect(rest).toEqual(['a zone has at most 256 records'])
  })
})
