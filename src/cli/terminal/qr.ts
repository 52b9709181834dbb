import type { Output } from './output.ts'

/** Light modules around a code, by ISO/IEC 18004. */
const QUIET_ZONE = 4

/**
 * A text as a QR code: rows of light blocks, as a light terminal would show them dark. Undefined if it is too wide, or
 * in a pipe.
 */
export async function qrText(text: string, output: Output): Promise<string | undefined> {
  const { encodeQR } = await import('qr')
  const rows = encodeQR(text, 'ascii', { border: QUIET_ZONE }).trimEnd().split('\n')
  if (!output.isTerminal || rows[0]!.length > output.columns) return undefined
  return rows.map((row) => output.paint('whiteBright', output.paint('bgBlack', row))).join('\n')
}
