/** The one place that knows the libraries of the page: views import from here. */
export { html } from 'htm/preact'
export { render, Fragment } from 'preact'
export type { ComponentChildren as Children, TargetedEvent } from 'preact'
export { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
